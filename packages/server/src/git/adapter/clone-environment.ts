import type { CloneAccess } from './host.ts'

/** What `git` needs to clone a repository, and what must not be seen of it. */
export interface CloneEnvironment {
  url: string
  /** For the process alone: neither its arguments nor a file name the credential. */
  environment: Record<string, string>
  /** To be masked wherever output is kept. */
  secrets: string[]
}

/**
 * The credential goes to this host and to no other, also when the host redirects; `git` never asks a person for one.
 * Settings in the environment are read since git 2.31.
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
