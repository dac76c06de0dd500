import { readFileSync } from 'node:fs'
import { hostAndPort } from '@sluice/outbound/addresses'
import { createOutbound } from '@sluice/outbound/send'
import type { Config } from '../../platform/config/settings.ts'
import { sendGuarded } from './ask.ts'
import { apiOf, createGitHostA, type GitHostA } from './githosta.ts'
import type { GitHostAApp } from './githosta-tokens.ts'
import { createGitHostB, type GitHostB, type OAuthClient } from './githostb.ts'
import type { HostNames } from './repository-url.ts'

/** Every git host that there is to speak to. */
export interface GitHosts {
  a: GitHostA
  /** The instance of the second host at an address: the operator's, or one that an organization named. */
  b(url: string): GitHostB
  /** The second host as the operator offers it to everybody; without a client, to read what is public. */
  hostedB: { url: string; client: OAuthClient | undefined }
  names: HostNames
  /** Whether a tenant may name a host by plain http: only where the operator lists it, as a part of the own network. */
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

/** A page of 100 branches carries the messages of their commits. */
const mostBytes = 8 * 1024 * 1024

/** Somebody waits for most answers. Milliseconds. */
const timeoutMs = 10_000

export function openGitHosts(settings: GitHostSettings, { clock }: { clock: () => Date }): GitHosts {
  const { githubUrl, gitlabUrl, gitlabClientId: clientId, gitlabClientSecret: clientSecret } = settings
  const { outboundAllow = [] } = settings
  // What is asked for by an old name is redirected to the new one.
  const limits = { timeoutMs, maxBytes: mostBytes, maxRedirects: 3 }
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

/** The settings of the app come all together or not at all; that was checked at the start. */
function appOf(settings: GitHostSettings): GitHostAApp | undefined {
  const { githubAppId: id, githubClientId: clientId, githubClientSecret: clientSecret } = settings
  const { githubWebhookSecret: webhookSecret, githubPrivateKey, githubPrivateKeyFile } = settings
  const text = githubPrivateKeyFile === undefined ? githubPrivateKey : readFileSync(githubPrivateKeyFile, 'utf8')
  if (!id || !clientId || !clientSecret || !webhookSecret || !text) return undefined
  return { id, privateKey: text.replaceAll('\\n', '\n'), clientId, clientSecret, webhookSecret }
}
