/** Property names of the API, with their equivalents in GitHub Actions, GitLab CI, CircleCI and Compose. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  when: ['if', 'condition', 'only', 'rules'],
  needs: ['depends_on', 'requires', 'dependencies'],
  timeout_seconds: ['timeout', 'timeout_minutes'],
  on_failure: ['continue_on_error', 'allow_failure'],
  environment_variables: ['env', 'environment', 'variables'],
  shell: ['run', 'script'],
  working_directory: ['workdir', 'cwd'],
  triggers: ['on'],
  required: ['mandatory'],
  values: ['options', 'enum', 'choices'],
}

/** Reports whether `name` is another system's name for our property `ours`. */
export const isSynonym = (name: string, ours: string): boolean =>
  Object.hasOwn(synonyms, ours) && (synonyms[ours] ?? []).some((one) => plain(one) === plain(name))

const plain = (name: string): string => name.replaceAll(/[-_]/g, '').toLowerCase()
