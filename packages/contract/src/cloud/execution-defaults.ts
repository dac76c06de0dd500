/** Default CPU (1024 units are one vCPU) and memory for the runner of a step in the cloud. */
export const defaultExecutionSize = { cpuUnits: 1024, memoryMiB: 2048 } as const

/** Default name of the cluster and related resources in the documentation's templates. */
export const defaultClusterName = 'sluice-runners'
