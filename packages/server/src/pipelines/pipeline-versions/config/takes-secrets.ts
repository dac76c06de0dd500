import type { StepType } from './schema.ts'

/**
 * Properties of `with` that are only passed to a program or another server, so that their templates may read secrets.
 * All others become names or stored inputs, which are visible.
 */
const secretMembers: Partial<Record<StepType, readonly string[]>> = {
  build: ['environment_variables'],
  command: ['argv', 'environment_variables'],
  http: ['url', 'headers', 'body'],
  'iac:plan': ['variables', 'environment_variables'],
  'iac:destroy': ['variables', 'environment_variables'],
  'iac:drift': ['variables', 'environment_variables'],
}

/** Reports whether a template at `path` in the `with` section of this step type may read secrets. */
export function takesSecrets(type: StepType, path: string): boolean {
  const [member = ''] = path.split(/[.[]/)
  return secretMembers[type]?.includes(member) ?? false
}
