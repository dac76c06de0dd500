/** Result of a check. `problem`: the service would not start or not work; `warning`: something is missing. */
export type Finding = { check: string; verdict: 'ok' | 'warning' | 'problem'; says: string; remedy?: string }

export const ok = (says: string): Omit<Finding, 'check'> => ({ verdict: 'ok', says })

export const warning = (says: string, remedy?: string) => toDo('warning', says, remedy)

export const problem = (says: string, remedy?: string) => toDo('problem', says, remedy)

/** Creates a finding. The remedy is optional if the message contains it. */
const toDo = (verdict: Finding['verdict'], says: string, remedy: string | undefined): Omit<Finding, 'check'> => ({
  verdict,
  says,
  ...(remedy !== undefined && { remedy }),
})

/** Runs a check. An error that it throws becomes a problem, because Sluice's errors contain the remedy. */
export async function finding(
  check: string,
  look: () => Promise<Omit<Finding, 'check'>> | Omit<Finding, 'check'>,
): Promise<Finding> {
  try {
    return { check, ...(await look()) }
  } catch (error) {
    return { check, ...problem(error instanceof Error ? error.message : String(error)) }
  }
}
