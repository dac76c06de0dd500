/** Settings of the execution environment, from the most to the least specific level; undefined if a level has none. */
export type EnvironmentSettings = {
  /** Setting of the step itself. */
  step: string | undefined
  /** Input of the run's module instance. */
  instance: string | undefined
  moduleDefinition: string | undefined
  environment: string | undefined
  project: string | undefined
  organization: string | undefined
}

/** Returns the execution environment of the most specific level; undefined for the installation's shared runners. */
export const mostSpecificSetting = (sayings: EnvironmentSettings): string | undefined =>
  sayings.step ??
  sayings.instance ??
  sayings.moduleDefinition ??
  sayings.environment ??
  sayings.project ??
  sayings.organization
