"""Checks an object against the model classes of a Kubernetes SDK, which ignore what they do not know."""
import re

PRIMITIVES = {"str": str, "int": int, "bool": bool, "float": (int, float), "object": object}
NUMBER_OR_TEXT = {"intstr.IntOrString", "IntOrString", "quantity"}
# Kubernetes' amounts are texts in the SDKs, and numbers in many a manifest.
AMOUNTS = ("V1ResourceRequirements.limits", "V1ResourceRequirements.requests")


class Checker:
    """`modules`: where the model classes are looked up by name, in this order."""

    def __init__(self, *modules):
        self.modules = modules
        self.faults = []

    def model(self, name):
        return next((getattr(module, name) for module in self.modules if hasattr(module, name)), None)

    def check(self, value, type_name, where):
        listed = re.fullmatch(r"[lL]ist\[(.*)\]", type_name)
        mapped = re.fullmatch(r"[dD]ict[(\[]str, (.*)[)\]]", type_name)
        if listed:
            self.expect(isinstance(value, list), where, "a list", value)
            for place, each in enumerate(value if isinstance(value, list) else []):
                self.check(each, listed[1], f"{where}[{place}]")
        elif mapped:
            self.expect(isinstance(value, dict), where, "an object", value)
            for key, each in (value.items() if isinstance(value, dict) else []):
                self.check(each, mapped[1], f"{where}.{key}")
        elif type_name in PRIMITIVES:
            # A bool is an int in Python, but not in JSON.
            is_it = isinstance(value, PRIMITIVES[type_name]) and (type_name != "int" or not isinstance(value, bool))
            self.expect(is_it, where, type_name, value)
        elif type_name in NUMBER_OR_TEXT:
            self.expect(isinstance(value, (int, str)), where, "a number or a text", value)
        else:
            self.check_model(value, type_name, where)

    def check_model(self, value, type_name, where):
        model = self.model(type_name)
        if model is None or not hasattr(model, "openapi_types"):
            self.faults.append(f"{where}: the SDK has no {type_name}")
            return
        if not isinstance(value, dict):
            self.expect(False, where, "an object", value)
            return
        attribute_of = {key: attribute for attribute, key in model.attribute_map.items()}
        given = {}
        for key, each in value.items():
            if key not in attribute_of:
                self.faults.append(f"{where}.{key}: unknown in {type_name}")
                continue
            given[attribute_of[key]] = each
            is_amount = f"{type_name}.{key}" in AMOUNTS
            self.check(each, "dict(str, quantity)" if is_amount else model.openapi_types[attribute_of[key]], f"{where}.{key}")
        try:
            model(**given)  # says what is missing
        except ValueError as error:
            self.faults.append(f"{where}: {error}")

    def expect(self, holds, where, what, value):
        if not holds:
            self.faults.append(f"{where}: expected {what}, not {value!r}")


def faults_of(document, type_name, *modules):
    checker = Checker(*modules)
    checker.check(document, type_name, document.get("kind", type_name))
    return checker.faults
