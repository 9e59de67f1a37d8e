<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en">
<context>
    <name>BoxSizeBars</name>
    <message numerus="yes">
        <source>%Ln object(s) of %1 to %2 px (square root of the box&apos;s area, after resizing)</source>
        <translation>
            <numerusform>%Ln object of %1 to %2 px (square root of the box&apos;s area, after resizing)</numerusform>
            <numerusform>%Ln objects of %1 to %2 px (square root of the box&apos;s area, after resizing)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ComparedFigures</name>
    <message numerus="yes">
        <source>%1 on all %Ln validation image(s)</source>
        <translation>
            <numerusform>%1 on all %Ln validation image</numerusform>
            <numerusform>%1 on all %Ln validation images</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 on %L2 of %Ln validation image(s)</source>
        <translation>
            <numerusform>%1 on %L2 of %Ln validation image</numerusform>
            <numerusform>%1 on %L2 of %Ln validation images</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>all %Ln validation image(s)</source>
        <translation>
            <numerusform>all %Ln validation image</numerusform>
            <numerusform>all %Ln validation images</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>the %L1 of %Ln validation image(s) that both have predicted</source>
        <translation>
            <numerusform>the %L1 of %Ln validation image that both have predicted</numerusform>
            <numerusform>the %L1 of %Ln validation images that both have predicted</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>With fewer than %n image(s) they are rough.</source>
        <translation>
            <numerusform>With fewer than %n image they are rough.</numerusform>
            <numerusform>With fewer than %n images they are rough.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ExperimentCost</name>
    <message numerus="yes">
        <source>≈ %n image(s) of up to %1 × %2 px, %3</source>
        <translation>
            <numerusform>≈ %n image of up to %1 × %2 px, %3</numerusform>
            <numerusform>≈ %n images of up to %1 × %2 px, %3</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ExperimentSurvey</name>
    <message numerus="yes">
        <source>%n object(s) in %1; limits: detections %2, proposals %3</source>
        <translation>
            <numerusform>%n object in %1; limits: detections %2, proposals %3</numerusform>
            <numerusform>%n objects in %1; limits: detections %2, proposals %3</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %Ln object(s) have no anchor with IoU ≥ 0.5, %2 none with IoU ≥ %3</source>
        <translation>
            <numerusform>%1 of %Ln object has no anchor with IoU ≥ 0.5, %2 none with IoU ≥ %3</numerusform>
            <numerusform>%1 of %Ln objects have no anchor with IoU ≥ 0.5, %2 none with IoU ≥ %3</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>all %Ln object(s) have an anchor with IoU ≥ 0.5</source>
        <translation>
            <numerusform>the only object has an anchor with IoU ≥ 0.5</numerusform>
            <numerusform>all %Ln objects have an anchor with IoU ≥ 0.5</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ExplanationFacts</name>
    <message numerus="yes">
        <source>%n level(s)</source>
        <translation>
            <numerusform>%n level</numerusform>
            <numerusform>%n levels</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Export</name>
    <message numerus="yes">
        <source>Tables, curves and the worst of %Ln predicted image(s), at score ≥ %1, as coco-eval --report writes them.</source>
        <translation>
            <numerusform>Tables, curves and the worst of %Ln predicted image, at score ≥ %1, as coco-eval --report writes them.</numerusform>
            <numerusform>Tables, curves and the worst of %Ln predicted images, at score ≥ %1, as coco-eval --report writes them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %Ln image(s).</source>
        <translation>
            <numerusform>%1 of %Ln image.</numerusform>
            <numerusform>%1 of %Ln images.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln detection(s)</source>
        <translation>
            <numerusform>%Ln detection</numerusform>
            <numerusform>%Ln detections</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Inspector</name>
    <message numerus="yes">
        <source>%n rank(s)</source>
        <translation>
            <numerusform>%n rank</numerusform>
            <numerusform>%n ranks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MonitorPage</name>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 (%n run(s))</source>
        <translation>
            <numerusform>%1 (%n run)</numerusform>
            <numerusform>%1 (%n runs)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>the first %n validation image(s) (evaluation.max_images)</source>
        <translation>
            <numerusform>the first %n validation image (evaluation.max_images)</numerusform>
            <numerusform>the first %n validation images (evaluation.max_images)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n rank(s)</source>
        <translation>
            <numerusform>%1 of %n rank</numerusform>
            <numerusform>%1 of %n ranks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>OpenedResults</name>
    <message numerus="yes">
        <source>%1: image %2 is named %3, which matches %n image(s), such as %4 and %5. Write the folder into the name, or use the image ids.</source>
        <translation>
            <numerusform>%1: image %2 is named %3, which matches %n image, such as %4 and %5. Write the folder into the name, or use the image ids.</numerusform>
            <numerusform>%1: image %2 is named %3, which matches %n images, such as %4 and %5. Write the folder into the name, or use the image ids.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %L2 of %Ln result(s) belong to images that the ground truth does not have. If they are of another dataset, choose its ground truth.</source>
        <translation>
            <numerusform>%1: %L2 of %Ln result belongs to an image that the ground truth does not have. If it is of another dataset, choose its ground truth.</numerusform>
            <numerusform>%1: %L2 of %Ln results belong to images that the ground truth does not have. If they are of another dataset, choose its ground truth.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RunController</name>
    <message numerus="yes">
        <source>%1: %Ln damaged record(s) are missing from curves and log</source>
        <translation>
            <numerusform>%1: %Ln damaged record is missing from curves and log</numerusform>
            <numerusform>%1: %Ln damaged records are missing from curves and log</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln record(s) could not be read. The first: %1</source>
        <translation>
            <numerusform>%Ln record could not be read. The first: %1</numerusform>
            <numerusform>%Ln records could not be read. The first: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lineDifference</name>
    <message numerus="yes">
        <source>and %n more line(s)</source>
        <translation>
            <numerusform>and %n more line</numerusform>
            <numerusform>and %n more lines</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::app::CardSections</name>
    <message numerus="yes">
        <source>Show %n hidden card(s)</source>
        <translation>
            <numerusform>Show the hidden card</numerusform>
            <numerusform>Show %n hidden cards</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::app::ComparePage</name>
    <message numerus="yes">
        <source>All %Ln object(s) are filtered out.</source>
        <translation>
            <numerusform>The only object is filtered out.</numerusform>
            <numerusform>All %Ln objects are filtered out.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %Ln detection(s) of classes that the annotations do not list are ignored.</source>
        <translation>
            <numerusform>%1: %Ln detection of a class that the annotations do not list is ignored.</numerusform>
            <numerusform>%1: %Ln detections of classes that the annotations do not list are ignored.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::app::ComparedSide</name>
    <message numerus="yes">
        <source>%L1 of %Ln image(s)</source>
        <translation>
            <numerusform>%L1 of %Ln image</numerusform>
            <numerusform>%L1 of %Ln images</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::app::ConfigurePage</name>
    <message numerus="yes">
        <source>Fix %n error(s) in %1 first, starting with:</source>
        <translation>
            <numerusform>Fix the error in %1 first:</numerusform>
            <numerusform>Fix %n errors in %1 first, starting with:</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::app::DataPage</name>
    <message numerus="yes">
        <source>%1 lists no image that can be used. %Ln error(s), the first: %2: %3</source>
        <translation>
            <numerusform>%1 lists no image that can be used. %Ln error, the first: %2: %3</numerusform>
            <numerusform>%1 lists no image that can be used. %Ln errors, the first: %2: %3</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::app::ExportDialog</name>
    <message numerus="yes">
        <source>%v of %n image(s)</source>
        <translation>
            <numerusform>%v of %n image</numerusform>
            <numerusform>%v of %n images</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::app::MainWindow</name>
    <message numerus="yes">
        <source>The page: %n card(s)</source>
        <translation>
            <numerusform>The page: %n card</numerusform>
            <numerusform>The page: %n cards</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) were moved to the trash</source>
        <translation>
            <numerusform>%n run was moved to the trash</numerusform>
            <numerusform>%n runs were moved to the trash</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::app::MonitorPage</name>
    <message numerus="yes">
        <source>%1 (%n tag(s))</source>
        <translation>
            <numerusform>%1 (%n tag)</numerusform>
            <numerusform>%1 (%n tags)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::app::NewExperimentDialog</name>
    <message numerus="yes">
        <source>%n error(s)</source>
        <translation>
            <numerusform>%n error</numerusform>
            <numerusform>%n errors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warning(s)</source>
        <translation>
            <numerusform>%n warning</numerusform>
            <numerusform>%n warnings</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n import error(s)</source>
        <translation>
            <numerusform>%n import error</numerusform>
            <numerusform>%n import errors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n import warning(s)</source>
        <translation>
            <numerusform>%n import warning</numerusform>
            <numerusform>%n import warnings</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::app::ParameterSection</name>
    <message numerus="yes">
        <source>%Ln parameter(s): %1</source>
        <translation>
            <numerusform>%Ln parameter: %1</numerusform>
            <numerusform>%Ln parameters: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::app::PredictionsPage</name>
    <message numerus="yes">
        <source>Step %1: %L2 of %Ln image(s) predicted, %L3 could not be read</source>
        <translation>
            <numerusform>Step %1: %L2 of %Ln image predicted, %L3 could not be read</numerusform>
            <numerusform>Step %1: %L2 of %Ln images predicted, %L3 could not be read</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Step %1: %Ln prediction(s) have a score outside 0 to 1</source>
        <translation>
            <numerusform>Step %1: %Ln prediction has a score outside 0 to 1</numerusform>
            <numerusform>Step %1: %Ln predictions have a score outside 0 to 1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) or folder(s) were not opened</source>
        <translation>
            <numerusform>%n file or folder was not opened</numerusform>
            <numerusform>%n files or folders were not opened</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %Ln result(s) have a score outside 0 to 1</source>
        <translation>
            <numerusform>%1: %Ln result has a score outside 0 to 1</numerusform>
            <numerusform>%1: %Ln results have a score outside 0 to 1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::app::ResultsReading</name>
    <message numerus="yes">
        <source>%L1 of %Ln image(s)</source>
        <translation>
            <numerusform>%L1 of %Ln image</numerusform>
            <numerusform>%L1 of %Ln images</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::app::RunListModel</name>
    <message numerus="yes">
        <source>%1: only the newest %L2 of %Ln run(s) are listed. Open a smaller folder.</source>
        <translation>
            <numerusform>%1: only the newest %L2 of %Ln run is listed. Open a smaller folder.</numerusform>
            <numerusform>%1: only the newest %L2 of %Ln runs are listed. Open a smaller folder.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::app::RunMenu</name>
    <message numerus="yes">
        <source>Remove %n run(s) from the list</source>
        <translation>
            <numerusform>Remove %n run from the list</numerusform>
            <numerusform>Remove %n runs from the list</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Common tags of %n run(s), separated by commas:</source>
        <translation>
            <numerusform>Common tags of %n run, separated by commas:</numerusform>
            <numerusform>Common tags of %n runs, separated by commas:</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::app::RunsPanel</name>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::app::StatusStrip</name>
    <message numerus="yes">
        <source>%n rank(s)</source>
        <translation>
            <numerusform>%n rank</numerusform>
            <numerusform>%n ranks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::app::TagCards</name>
    <message numerus="yes">
        <source>%1: %Ln card(s)</source>
        <translation>
            <numerusform>%1: %Ln card</numerusform>
            <numerusform>%1: %Ln cards</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::widgets::ClassFilter</name>
    <message numerus="yes">
        <source>%1 of %n class(es)</source>
        <translation>
            <numerusform>%1 of %n class</numerusform>
            <numerusform>%1 of %n classes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All %n class(es)</source>
        <translation>
            <numerusform>All %n class</numerusform>
            <numerusform>All %n classes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::widgets::ClassPairMap</name>
    <message numerus="yes">
        <source>%1: in %Ln image(s)</source>
        <translation>
            <numerusform>%1: in %Ln image</numerusform>
            <numerusform>%1: in %Ln images</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 and %2: together in %Ln image(s)</source>
        <translation>
            <numerusform>%1 and %2: together in %Ln image</numerusform>
            <numerusform>%1 and %2: together in %Ln images</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::widgets::ClassesView</name>
    <message numerus="yes">
        <source>; %L1 of %Ln class(es) shown</source>
        <translation>
            <numerusform>; %L1 of %Ln class shown</numerusform>
            <numerusform>; %L1 of %Ln classes shown</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::widgets::ConfigForm</name>
    <message numerus="yes">
        <source>%n key(s)</source>
        <translation>
            <numerusform>%n key</numerusform>
            <numerusform>%n keys</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more key(s)</source>
        <translation>
            <numerusform>%n more key</numerusform>
            <numerusform>%n more keys</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::widgets::ConfusionView</name>
    <message numerus="yes">
        <source>%Ln empty class(es)</source>
        <translation>
            <numerusform>%Ln empty class</numerusform>
            <numerusform>%Ln empty classes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::widgets::CurvePlot</name>
    <message numerus="yes">
        <source>^ %n outlier(s) above the plot (press O to show all)</source>
        <translation>
            <numerusform>^ %n outlier above the plot (press O to show all)</numerusform>
            <numerusform>^ %n outliers above the plot (press O to show all)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::widgets::DatasetView</name>
    <message numerus="yes">
        <source>%Ln image(s)</source>
        <translation>
            <numerusform>%Ln image</numerusform>
            <numerusform>%Ln images</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln object(s)</source>
        <translation>
            <numerusform>%Ln object</numerusform>
            <numerusform>%Ln objects</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>, %Ln crowd region(s)</source>
        <translation>
            <numerusform>, %Ln crowd region</numerusform>
            <numerusform>, %Ln crowd regions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>, %Ln image(s) without objects</source>
        <translation>
            <numerusform>, %Ln image without objects</numerusform>
            <numerusform>, %Ln images without objects</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::widgets::EditorHeader</name>
    <message numerus="yes">
        <source>%n error(s)</source>
        <translation>
            <numerusform>%n error</numerusform>
            <numerusform>%n errors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warning(s)</source>
        <translation>
            <numerusform>%n warning</numerusform>
            <numerusform>%n warnings</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::widgets::FactCharts</name>
    <message numerus="yes">
        <source>%Ln object(s) with a box of height / width %1 to %2</source>
        <translation>
            <numerusform>%Ln object with a box of height / width %1 to %2</numerusform>
            <numerusform>%Ln objects with a box of height / width %1 to %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln image(s) with %1 to %2 objects (%2 not included)</source>
        <translation>
            <numerusform>%Ln image with %1 to %2 objects (%2 not included)</numerusform>
            <numerusform>%Ln images with %1 to %2 objects (%2 not included)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %2 in %3 of %Ln image(s)</source>
        <translation>
            <numerusform>%1: %2 in %3 of %Ln image</numerusform>
            <numerusform>%1: %2 in %3 of %Ln images</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln object(s)</source>
        <translation>
            <numerusform>%Ln object</numerusform>
            <numerusform>%Ln objects</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln class(es)</source>
        <translation>
            <numerusform>%Ln class</numerusform>
            <numerusform>%Ln classes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln object(s) of %1 to %2 px (square root of the area, after resizing)</source>
        <translation>
            <numerusform>%Ln object of %1 to %2 px (square root of the area, after resizing)</numerusform>
            <numerusform>%Ln objects of %1 to %2 px (square root of the area, after resizing)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>the %1 most frequent of %Ln class(es)</source>
        <translation>
            <numerusform>the %1 most frequent of %Ln class</numerusform>
            <numerusform>the %1 most frequent of %Ln classes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::widgets::FindingsPanel</name>
    <message numerus="yes">
        <source>%Ln error(s) (●)</source>
        <translation>
            <numerusform>%Ln error (●)</numerusform>
            <numerusform>%Ln errors (●)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln warning(s) (▲)</source>
        <translation>
            <numerusform>%Ln warning (▲)</numerusform>
            <numerusform>%Ln warnings (▲)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::widgets::ImageCanvas</name>
    <message numerus="yes">
        <source>%n instance(s), %1 of the ground truth</source>
        <translation>
            <numerusform>%n instance, %1 of the ground truth</numerusform>
            <numerusform>%n instances, %1 of the ground truth</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::widgets::ObjectsView</name>
    <message numerus="yes">
        <source>%L1 of %Ln object(s) match the filters.</source>
        <translation>
            <numerusform>%L1 of %Ln object matches the filters.</numerusform>
            <numerusform>%L1 of %Ln objects match the filters.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::widgets::PredictionsPanel</name>
    <message numerus="yes">
        <source>all %Ln image(s)</source>
        <translation>
            <numerusform>all %Ln image</numerusform>
            <numerusform>all %Ln images</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%L1 of %Ln image(s)</source>
        <translation>
            <numerusform>%L1 of %Ln image</numerusform>
            <numerusform>%L1 of %Ln images</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>predicting: %L1 of %Ln image(s)</source>
        <translation>
            <numerusform>predicting: %L1 of %Ln image</numerusform>
            <numerusform>predicting: %L1 of %Ln images</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>all %Ln image(s) predicted</source>
        <translation>
            <numerusform>all %Ln image predicted</numerusform>
            <numerusform>all %Ln images predicted</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%L1 of %Ln image(s) predicted</source>
        <translation>
            <numerusform>%L1 of %Ln image predicted</numerusform>
            <numerusform>%L1 of %Ln images predicted</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln detection(s), all with lower scores</source>
        <translation>
            <numerusform>%Ln detection, all with lower scores</numerusform>
            <numerusform>%Ln detections, all with lower scores</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln object(s)</source>
        <translation>
            <numerusform>%Ln object</numerusform>
            <numerusform>%Ln objects</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln detection(s)</source>
        <translation>
            <numerusform>%Ln detection</numerusform>
            <numerusform>%Ln detections</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Predictions of %Ln image(s) that this dataset does not have are ignored</source>
        <translation>
            <numerusform>Predictions of %Ln image that this dataset does not have are ignored</numerusform>
            <numerusform>Predictions of %Ln images that this dataset does not have are ignored</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln detection(s) ignored: of classes that the annotations do not list</source>
        <translation>
            <numerusform>%Ln detection ignored: of classes that the annotations do not list</numerusform>
            <numerusform>%Ln detections ignored: of classes that the annotations do not list</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::widgets::PredictionsView</name>
    <message numerus="yes">
        <source>in %Ln image(s)</source>
        <translation>
            <numerusform>in %Ln image</numerusform>
            <numerusform>in %Ln images</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln instance(s)</source>
        <translation>
            <numerusform>%Ln instance</numerusform>
            <numerusform>%Ln instances</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln object(s)</source>
        <translation>
            <numerusform>%Ln object</numerusform>
            <numerusform>%Ln objects</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>0 of %Ln image(s) match</source>
        <translation>
            <numerusform>0 of %Ln image matches</numerusform>
            <numerusform>0 of %Ln images match</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>, %1 of %n class(es) hidden</source>
        <translation>
            <numerusform>, %1 of %n class hidden</numerusform>
            <numerusform>, %1 of %n classes hidden</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, of %Ln image(s)</source>
        <translation>
            <numerusform>%1, of %Ln image</numerusform>
            <numerusform>%1, of %Ln images</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::widgets::RecallView</name>
    <message numerus="yes">
        <source>%Ln object(s)</source>
        <translation>
            <numerusform>%Ln object</numerusform>
            <numerusform>%Ln objects</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::widgets::ThumbnailStrip</name>
    <message numerus="yes">
        <source>%Ln error(s)</source>
        <translation>
            <numerusform>%Ln error</numerusform>
            <numerusform>%Ln errors</numerusform>
        </translation>
    </message>
</context>
</TS>
