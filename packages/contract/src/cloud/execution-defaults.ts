/** What the runner of a step in the cloud gets where nobody asks for more: a processor, and this memory. */
export const usualExecutionSize = { cpuUnits: 1024, memoryMiB: 2048 } as const

/** What the templates of the documentation call what they make in an account, where nobody says otherwise. */
export const usualClusterName = 'sluice-runners'
