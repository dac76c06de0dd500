import { readFileSync } from 'node:fs'
import { hostAndPort } from '@sluice/outbound/addresses'
import { createOutbound } from '@sluice/outbound/send'
import type { Config } from '../../platform/config/settings.ts'
import { sendGuarded } from './ask.ts'
import { apiOf, createGitHostA, type GitHostA } from './githosta.ts'
import type { GitHostAApp } from './githosta-tokens.ts'
import { createGitHostB, type GitHostB, type OAuthClient } from './githostb.ts'
import type { HostNames } from './repository-url.ts'

/** Clients for the configured Git hosts. */
export interface GitHosts {
  a: GitHostA
  /** Returns the client for a GitLab server: the operator's, or one that an organization registered. */
  b(url: string): GitHostB
  /** The operator's GitLab server. Without a client, it offers only public repositories. */
  hostedB: { url: string; client: OAuthClient | undefined }
  names: HostNames
  /** Reports whether plain HTTP is allowed for a host, which the operator must have listed. */
  allowsPlainHttp(hostName: string): boolean
}

export type GitHostSettings = Pick<
  Config,
  | 'githubUrl'
  | 'githubAppId'
  | 'githubPrivateKey'
  | 'githubPrivateKeyFile'
  | 'githubClientId'
  | 'githubClientSecret'
  | 'githubWebhookSecret'
  | 'gitlabUrl'
  | 'gitlabClientId'
  | 'gitlabClientSecret'
  | 'outboundAllow'
>

/** Maximum response size, in bytes. A page of 100 branches includes their commits' messages. */
const maxResponseBytes = 8 * 1024 * 1024

/** Request timeout, in milliseconds. A user waits for most requests. */
const timeoutMs = 10_000

export function openGitHosts(settings: GitHostSettings, { clock }: { clock: () => Date }): GitHosts {
  const { githubUrl, gitlabUrl, gitlabClientId: clientId, gitlabClientSecret: clientSecret } = settings
  const { outboundAllow = [] } = settings
  // Hosts redirect requests for a former name to the new one.
  const limits = { timeoutMs, maxBytes: maxResponseBytes, maxRedirects: 3 }
  const sendTo = (...own: string[]) =>
    sendGuarded(createOutbound([...outboundAllow, ...own.map((url) => hostAndPort(new URL(url)))], limits))
  const [guarded, operators] = [sendTo(), sendTo(gitlabUrl)]
  return {
    a: createGitHostA({
      url: githubUrl,
      app: appOf(settings),
      send: sendTo(githubUrl, apiOf(githubUrl)),
      clock,
      timeoutMs,
    }),
    b: (url) => createGitHostB({ url, send: url === gitlabUrl ? operators : guarded, clock, timeoutMs }),
    hostedB: { url: gitlabUrl, client: clientId && clientSecret ? { clientId, clientSecret } : undefined },
    names: { GITHOSTA: new URL(githubUrl).host, GITHOSTB: new URL(gitlabUrl).host },
    allowsPlainHttp: (hostName) => outboundAllow.includes(hostName),
  }
}

/** Returns the settings of the GitHub App. They are either all set or all missing, as checked at startup. */
function appOf(settings: GitHostSettings): GitHostAApp | undefined {
  const { githubAppId: id, githubClientId: clientId, githubClientSecret: clientSecret } = settings
  const { githubWebhookSecret: webhookSecret, githubPrivateKey, githubPrivateKeyFile } = settings
  const text = githubPrivateKeyFile === undefined ? githubPrivateKey : readFileSync(githubPrivateKeyFile, 'utf8')
  if (!id || !clientId || !clientSecret || !webhookSecret || !text) return undefined
  return { id, privateKey: text.replaceAll('\\n', '\n'), clientId, clientSecret, webhookSecret }
}
