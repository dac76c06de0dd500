import { hash } from 'node:crypto'
import type { CloudClients } from '../../cloud/adapter/access.ts'
import { expectRepository, findImage, type RegistryAccess, registryAccess } from '../../cloud/adapter/registry.ts'
import { OutboundError, type OutboundResponse, type SendOutbound } from '../../platform/outbound/send.ts'
import type { AccountRegistry, OtherRegistry } from '../runner/order.ts'
import { StepFailure } from '../runner/step-failure.ts'

/** A repository of images, as far as builds ask it. */
export type Registry = {
  /** Makes the repository where that is done by asking for it. */
  expect(): Promise<void>
  find(id: { imageTag: string } | { imageDigest: string }): Promise<{ digest: string; sizeBytes: number } | undefined>
  /** Who pushes to it. */
  access(): Promise<RegistryAccess>
}

/** A repository of the account's own registry, which is asked by the cloud's interface. */
export const accountRegistry = (
  images: CloudClients['images'],
  { arn, repository }: Pick<AccountRegistry, 'arn' | 'repository'>,
): Registry => ({
  async expect() {
    if ((await expectRepository(images, repository)) === arn) return
    const message = `The repository ${arn} is none of the cloud account's own registry.`
    throw new StepFailure('artifactNotPublished', message)
  },
  find: (id) => findImage(images, repository, id),
  access: () => registryAccess(images),
})

/** What a manifest of an image may be. */
const accepted = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
].join(', ')

/** Any other registry, which is asked by an interface that all have: OCI distribution 1.1, "Pulling manifests". */
export function otherRegistry(send: SendOutbound, { host, repository, access }: OtherRegistry): Registry {
  const endpoint = `${isLoopback(host) ? 'http' : 'https'}://${host}`
  const basic = `Basic ${Buffer.from(`${access.username}:${access.password}`).toString('base64')}`
  const ask = async (url: string, headers: Record<string, string>): Promise<OutboundResponse> => {
    try {
      return await send({ method: 'GET', url, headers })
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      const description =
        error.trouble === 'NOT_ALLOWED'
          ? 'It is in a network that this service may not call: its operator lets it through with SLUICE_OUTBOUND_ALLOW.'
          : error.message
      throw notAsked(host, description)
    }
  }
  return {
    expect: async () => {},
    access: async () => ({ endpoint, ...access }),
    async find(id) {
      const url = `${endpoint}/v2/${repository}/manifests/${'imageTag' in id ? id.imageTag : id.imageDigest}`
      const first = await ask(url, { accept: accepted, authorization: basic })
      const realm =
        first.status === 401 ? tokenAddress(first.headers['www-authenticate'], endpoint, repository) : undefined
      const answer =
        realm === undefined ? first : await ask(url, { accept: accepted, authorization: await bearer(realm) })
      if (answer.status === 404) return undefined
      if (answer.status !== 200) throw notAsked(host, `It answers ${answer.status} to who asks for ${repository}.`)
      return { digest: `sha256:${hash('sha256', answer.body, 'hex')}`, sizeBytes: sizeIn(answer.body) }
    },
  }

  async function bearer(realm: string): Promise<string> {
    const { status, body } = await ask(realm, { authorization: basic })
    const { token, access_token: other } =
      status === 200 ? (parsed(body) as { token?: string; access_token?: string }) : {}
    if (token ?? other) return `Bearer ${token ?? other}`
    throw notAsked(host, `It lets nobody in with these credentials (${status}).`)
  }
}

/** As tools of containers have it: what is on this machine is spoken to without TLS. */
const isLoopback = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host)

/**
 * Where a registry gives tokens for a repository: "Token Authentication" of the distribution project (read 2026-11).
 * Credentials are sent there: never without TLS where the registry has it.
 */
function tokenAddress(challenge = '', endpoint: string, repository: string): string | undefined {
  if (!/^bearer /i.test(challenge)) return undefined
  const said = (name: string) => new RegExp(`${name}="([^"]*)"`, 'i').exec(challenge)?.[1]
  const realm = said('realm') ?? ''
  if (!URL.canParse(realm)) return undefined
  const url = new URL(realm)
  if (endpoint.startsWith('https:') && url.protocol !== 'https:') return undefined
  const service = said('service')
  if (service !== undefined) url.searchParams.set('service', service)
  url.searchParams.set('scope', `repository:${repository}:pull`)
  return url.href
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) ?? {}
  } catch {
    return {}
  }
}

/** Of what its manifest names; of a list of images nothing is known. */
function sizeIn(body: string): number {
  const { config, layers = [] } = parsed(body) as { config?: { size?: number }; layers?: { size?: number }[] }
  return [config, ...layers].reduce((sum, part) => sum + (part?.size ?? 0), 0)
}

const notAsked = (host: string, description: string): StepFailure =>
  new StepFailure('artifactNotPublished', `The registry ${host} cannot be asked for its images.`, { description })
