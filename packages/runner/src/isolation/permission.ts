/** Whose programs a runner is given: told with each claim. */
export type Tenancy = {
  /** `own`: a machine of one organization's own execution environment. */
  runner: 'shared' | 'own'
  /** `one`: there is one organization, and nobody can register another. */
  organizations: 'one' | 'many'
}

/** Why a program that is not isolated must not run; undefined where it may. `why` tells what isolation is missing. */
export function refusalOf(tenancy: Tenancy, why: readonly string[]): string | undefined {
  if (tenancy.runner === 'own' || tenancy.organizations === 'one') return undefined
  return [
    `Programs are not isolated on this runner (${why.join('; ')}), and this installation is not one organization's alone.`,
    "Install bubblewrap (Debian's package bubblewrap) on the runner's machine, close registration, or use an execution environment.",
  ].join(' ')
}
