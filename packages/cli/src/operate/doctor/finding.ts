/**
 * What a check came to. `problem`: the service would not start, or not do its work; `warning`: something is missing.
 */
export type Finding = { check: string; verdict: 'ok' | 'warning' | 'problem'; says: string; remedy?: string }

export const ok = (says: string): Omit<Finding, 'check'> => ({ verdict: 'ok', says })

export const warning = (says: string, remedy?: string) => toDo('warning', says, remedy)

export const problem = (says: string, remedy?: string) => toDo('problem', says, remedy)

/** Without a remedy where the words themselves say what to do. */
const toDo = (verdict: Finding['verdict'], says: string, remedy: string | undefined): Omit<Finding, 'check'> => ({
  verdict,
  says,
  ...(remedy !== undefined && { remedy }),
})

/** A check under its name. What it throws is its problem: our errors say what to do. */
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
