import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attached } from '@sluice/contract/runner-protocol'
import type { Attempt } from '../attempt.ts'

const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const indexType = 'application/vnd.oci.image.index.v1+json'
const emptyType = 'application/vnd.oci.empty.v1+json'

type Descriptor = { mediaType: string; digest: string; size: number; [more: string]: unknown }

/** So often it is tried. */
const mostTries = 3
/** After the first of them; doubled each time. Milliseconds. */
const firstPauseMs = 1_000

/**
 * Puts a statement about an image beside it in its registry, where whoever has the image finds it. The image is built
 * and published without it, and the API keeps it as well: a registry that takes none fails no build.
 */
export async function attach(attempt: Attempt, attached: Attached): Promise<void> {
  const { username, password } = attached
  for (const secret of [password, Buffer.from(`${username}:${password}`).toString('base64')]) attempt.mask(secret)
  for (let tried = 1; ; tried += 1) {
    try {
      await attachTo(registry(attached, attempt.signal), attached)
      return attempt.log(`What it was built of, and by whom, is attached to ${attached.digest}.`)
    } catch (error) {
      attempt.signal.throwIfAborted()
      if (tried === mostTries) return attempt.log(`The registry takes nothing that is attached to an image: ${error}`)
      await sleep(firstPauseMs * 2 ** (tried - 1), undefined, { signal: attempt.signal })
    }
  }
}

/**
 * As a manifest whose subject is the image. Its bytes are the same each time, so that it is there once however often it
 * is put there: OCI distribution 1.1, "Pushing Manifests with Subject" (read 2026-11).
 */
export async function attachTo(call: Call, { digest, mediaType, statement, predicateType }: Attached): Promise<void> {
  const image = await call('GET', `manifests/${digest}`, { accept: [manifestType, indexType, '*/*'].join(', ') })
  const subject = descriptor(image.headers.get('content-type') ?? manifestType, await image.text())
  const config = await stored(call, emptyType, '{}')
  const layer = await stored(call, mediaType, statement)
  const annotations = { 'in-toto.io/predicate-type': predicateType }
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: manifestType,
    artifactType: mediaType,
    config,
    layers: [{ ...layer, annotations }],
    subject,
    annotations,
  })
  const own = descriptor(manifestType, manifest)
  const put = await call('PUT', `manifests/${own.digest}`, { 'content-type': manifestType }, manifest)
  // What the registry says where it lists it among what refers to the image by itself.
  if (put.headers.has('oci-subject')) return
  await listed(call, subject, { ...own, artifactType: mediaType, annotations })
}

/** Lists it under the tag that stands for the list in registries that keep none: "Referrers Tag Schema" there. */
async function listed(call: Call, subject: Descriptor, own: Descriptor): Promise<void> {
  const tag = `manifests/${subject.digest.replace(':', '-')}`
  const found = await call('GET', tag, { accept: indexType }, undefined, [404])
  const { manifests } = (found.ok ? await found.json() : { manifests: [] }) as { manifests: Descriptor[] }
  if (manifests.some(({ digest }) => digest === own.digest)) return
  const index = { schemaVersion: 2, mediaType: indexType, manifests: [...manifests, own] }
  await call('PUT', tag, { 'content-type': indexType }, JSON.stringify(index))
}

async function stored(call: Call, mediaType: string, content: string): Promise<Descriptor> {
  const blob = descriptor(mediaType, content)
  const there = await call('HEAD', `blobs/${blob.digest}`, {}, undefined, [404])
  if (there.ok) return blob
  const begun = await call('POST', 'blobs/uploads/', {})
  const at = new URL(begun.headers.get('location') ?? '', begun.url)
  at.searchParams.set('digest', blob.digest)
  await call('PUT', at, { 'content-type': 'application/octet-stream' }, content)
  return blob
}

const descriptor = (mediaType: string, content: string): Descriptor => ({
  mediaType,
  digest: `sha256:${hash('sha256', content)}`,
  size: Buffer.byteLength(content),
})

/** Asks the registry; a path is one of the repository. @throws where it answers otherwise than well or as expected */
type Call = (
  method: string,
  to: string | URL,
  headers: Record<string, string>,
  body?: string,
  expected?: readonly number[],
) => Promise<Response>

/** For one request. Milliseconds. */
const withinMs = 60_000
/** What is shown of a refusal. Characters. */
const shown = 300

function registry({ endpoint, repository, username, password }: Attached, signal: AbortSignal): Call {
  const { origin } = new URL(endpoint)
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  let authorization = basic
  return async (method, to, headers, body, expected = []) => {
    const url = typeof to === 'string' ? new URL(`/v2/${repository}/${to}`, origin) : to
    const send = () =>
      fetch(url, {
        method,
        // An upload may go elsewhere, to an address that is signed.
        headers: { ...headers, ...(url.origin === origin && { authorization }) },
        ...(body !== undefined && { body }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]),
        redirect: 'error',
      })
    let answer = await send()
    const realm = answer.status === 401 && tokenAddress(answer.headers.get('www-authenticate'), origin, repository)
    if (realm) {
      authorization = `Bearer ${await tokenFrom(realm, basic, signal)}`
      answer = await send()
    }
    if (answer.ok || expected.includes(answer.status)) return answer
    throw new Error(`${method} ${url.pathname}: ${answer.status} ${(await answer.text()).slice(0, shown)}`)
  }
}

/**
 * Where a registry gives tokens for a repository: "Token Authentication" of the distribution project (read 2026-11).
 * Credentials are sent there: never without TLS where the registry has it.
 */
function tokenAddress(challenge: string | null, origin: string, repository: string): string | undefined {
  if (!challenge || !/^bearer /i.test(challenge)) return undefined
  const said = (name: string) => new RegExp(`${name}="([^"]*)"`, 'i').exec(challenge)?.[1]
  const realm = said('realm') ?? ''
  if (!URL.canParse(realm)) return undefined
  const url = new URL(realm)
  if (origin.startsWith('https:') && url.protocol !== 'https:') return undefined
  const service = said('service')
  if (service !== undefined) url.searchParams.set('service', service)
  url.searchParams.set('scope', `repository:${repository}:pull,push`)
  return url.href
}

async function tokenFrom(realm: string, authorization: string, signal: AbortSignal): Promise<string> {
  const own = AbortSignal.any([signal, AbortSignal.timeout(withinMs)])
  const answer = await fetch(realm, { headers: { authorization }, signal: own, redirect: 'error' })
  if (!answer.ok) throw new Error(`The registry lets nobody in with these credentials (${answer.status}).`)
  const { token, access_token: other } = (await answer.json()) as { token?: string; access_token?: string }
  return token ?? other ?? ''
}
