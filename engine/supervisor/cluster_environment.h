#pragma once

#include <functional>
#include <optional>
#include <string>

namespace lockstep::supervisor {

/// The world of this supervisor's ranks, as the launcher's variables describe it. A node is a
/// supervisor with its ranks; node 0 keeps the run folder, the event log and the socket.
struct ClusterEnvironment {
  /// "torchrun", "Slurm", "Open MPI", "PyTorchJob"; empty: no launcher. The launcher restarts the
  /// job.
  std::string launcher;
  int node = 0, nodes = 1;       ///< this supervisor among those of the run
  bool startsEveryRank = false;  ///< the launcher starts a supervisor for each rank
  int localRank = 0;             ///< of that one rank on its machine
  /// Ranks sharing the machine's cores, this one included, if the launcher sets it; Slurm gives
  /// each task its own cores.
  int localWorldSize = 1;
  std::string masterAddress;   ///< hostname of rank 0; empty: this machine
  int masterPort = 0;          ///< of rank 0's store; 0: rank 0 chooses one
  bool storeIsServed = false;  ///< the launcher serves a store at that port
};

/// Reads the variables of a launcher: of the first of these variables that is set, so that a
/// launcher inside another's job (torchrun or mpirun under Slurm) counts. An empty variable counts
/// as not set. A world of one needs no master.
///
/// LOCAL_RANK: torchrun, with RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT. The store is served
/// where TORCHELASTIC_USE_AGENT_STORE is "True".
///
/// OMPI_COMM_WORLD_LOCAL_RANK: Open MPI's mpirun, with …_RANK, …_SIZE and …_LOCAL_SIZE. On one
/// machine MASTER_ADDR is 127.0.0.1 unless it is set; on several it must be. MASTER_PORT: else one
/// from the job's name, PMIX_NAMESPACE or OMPI_MCA_ess_base_jobid.
///
/// SLURM_LOCALID: a task of srun, with SLURM_PROCID and SLURM_STEP_NUM_TASKS (else SLURM_NTASKS).
/// MASTER_ADDR: else the first host of SLURM_STEP_NODELIST or SLURM_JOB_NODELIST. MASTER_PORT: else
/// 15000 + (SLURM_JOB_ID + 1009 SLURM_STEP_ID) mod 17000, below the ports that Linux gives to
/// connections. A single task counts as no launcher and gets all of its GPUs: one task, also the
/// command in `srun --pty bash` or `salloc`, means a program that starts its own ranks.
/// So does the script of sbatch (ENVIRONMENT is BATCH and there is no SLURM_STEP_ID) that has one
/// task. With several it is refused: `srun` is missing, and the other ranks would never start.
///
/// RANK: a pod of a PyTorchJob, with PET_NNODES (else WORLD_SIZE), MASTER_ADDR and MASTER_PORT;
/// every pod starts ranks of its own. (WORLD_SIZE also counts `nprocPerNode`, PET_NNODES does not.)
///
/// None of these: the defaults. Throws UserError naming the variable that is missing or
/// invalid. `variable` gives an environment variable, or null.
ClusterEnvironment detectCluster(const std::function<const char*(const char*)>& variable);

}  // namespace lockstep::supervisor
