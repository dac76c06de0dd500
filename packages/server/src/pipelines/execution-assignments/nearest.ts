/** Where programs may be said to run, from the nearest to the furthest; what says nothing is undefined. */
export type Sayings = {
  /** By step: what the step itself says. */
  step: string | undefined
  /** The input of the module instance that the run is about. */
  instance: string | undefined
  moduleDefinition: string | undefined
  environment: string | undefined
  project: string | undefined
  organization: string | undefined
}

/** The execution environment that the nearest of them names; undefined: the installation's own runners. */
export const nearest = (sayings: Sayings): string | undefined =>
  sayings.step ??
  sayings.instance ??
  sayings.moduleDefinition ??
  sayings.environment ??
  sayings.project ??
  sayings.organization
