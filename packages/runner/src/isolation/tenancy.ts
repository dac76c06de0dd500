/** Organization whose programs a runner executes. The API returns it with each lease. */
export type Tenancy = {
  /** `own`: a machine of one organization's execution environment. */
  runner: 'shared' | 'own'
  /** `one`: the installation has one organization, and registration is closed. */
  organizations: 'one' | 'many'
}

/** Returns why a program must not run without isolation; undefined if it may. `why` lists what isolation is missing. */
export function checkTenancy(tenancy: Tenancy, why: readonly string[]): string | undefined {
  if (tenancy.runner === 'own' || tenancy.organizations === 'one') return undefined
  return [
    `Programs are not isolated on this runner (${why.join('; ')}), and this installation is open to several organizations.`,
    "Install bubblewrap (Debian's package bubblewrap) on the runner's machine, close registration, or use an execution environment.",
  ].join(' ')
}
