import type { CloneAccess } from './host.ts'

/** URL, environment and secrets for cloning a repository with `git`. */
export interface CloneEnvironment {
  url: string
  /** Variables for the `git` process. They hold the credential, which is in no argument or file. */
  environment: Record<string, string>
  /** Values to mask in stored output. */
  secrets: string[]
}

/**
 * Returns the environment for `git clone`. The credential is sent only to this host, not after redirects, and `git`
 * never prompts. Requires Git 2.31 for settings in the environment.
 */
export function cloneEnvironment({ url, credential }: CloneAccess): CloneEnvironment {
  const settings: [string, string][] = [
    ['http.followRedirects', 'false'],
    ['credential.helper', ''],
  ]
  const secrets: string[] = []
  if (credential) {
    const basic = Buffer.from(`${credential.username}:${credential.password}`).toString('base64')
    settings.push([`http.${new URL(url).origin}/.extraHeader`, `Authorization: Basic ${basic}`])
    secrets.push(credential.password, basic)
  }
  const environment: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length), GIT_TERMINAL_PROMPT: '0' }
  for (const [index, [key, value]] of settings.entries()) {
    environment[`GIT_CONFIG_KEY_${index}`] = key
    environment[`GIT_CONFIG_VALUE_${index}`] = value
  }
  return { url, environment, secrets }
}
