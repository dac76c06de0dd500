import type { StepType } from './schema.ts'

/**
 * The members of a step's `with` that go to a program or another server and nowhere else, so that templates in them may
 * read what is sensitive. All others name something or become inputs of runs and deployments, which are stored and
 * shown as they are.
 */
const secretMembers: Partial<Record<StepType, readonly string[]>> = {
  build: ['environment_variables'],
  command: ['argv', 'environment_variables'],
  http: ['url', 'headers', 'body'],
  'iac:plan': ['variables', 'environment_variables'],
  'iac:destroy': ['variables', 'environment_variables'],
  'iac:drift': ['variables', 'environment_variables'],
}

/** Whether a template may read something sensitive; `path` is where it stands in the `with` of a step of this type. */
export function takesSecrets(type: StepType, path: string): boolean {
  const [member = ''] = path.split(/[.[]/)
  return secretMembers[type]?.includes(member) ?? false
}
