import { hash } from 'node:crypto'
import type { InRegistry } from '@sluice/contract/runner-protocol'
import { createRegistryClient, parseJsonObject, RegistryDenied } from '@sluice/outbound/registry'
import { OutboundError, type SendOutbound } from '@sluice/outbound/send'
import type { CloudClients } from '../../cloud/adapter/access.ts'
import { expectRepository, findImage, type RegistryAccess, registryAccess } from '../../cloud/adapter/registry.ts'
import type { AccountRegistry, OtherRegistry } from '../runner/order.ts'
import { StepFailure } from '../runner/step-failure.ts'

/** A repository of images, as far as builds ask it. */
export type Registry = {
  /** Makes the repository where that is done by asking for it. */
  expect(): Promise<void>
  find(id: { imageTag: string } | { imageDigest: string }): Promise<{ digest: string; sizeBytes: number } | undefined>
  /** Who pushes to it. */
  access(): Promise<RegistryAccess & Pick<InRegistry, 'isCloudAccounts'>>
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
  access: async () => ({ ...(await registryAccess(images)), isCloudAccounts: true }),
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
  const ask = createRegistryClient(send, { endpoint, repository, ...access }, 'pull')
  return {
    expect: async () => {},
    access: async () => ({ endpoint, ...access }),
    async find(id) {
      const url = `${endpoint}/v2/${repository}/manifests/${'imageTag' in id ? id.imageTag : id.imageDigest}`
      const { status, body } = await ask({ method: 'GET', url, headers: { accept: accepted } }).catch((error) => {
        throw notAsked(host, reasonOf(error))
      })
      if (status === 404) return undefined
      if (status !== 200) throw notAsked(host, `It answers ${status} to a request for ${repository}.`)
      return { digest: `sha256:${hash('sha256', body, 'hex')}`, sizeBytes: sizeIn(body) }
    },
  }
}

/** As tools of containers have it: what is on this machine is spoken to without TLS. */
const isLoopback = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host)

/** @throws {unknown} what is no trouble of the registry */
function reasonOf(error: unknown): string {
  if (error instanceof RegistryDenied) return error.message
  if (!(error instanceof OutboundError)) throw error
  return error.trouble === 'NOT_ALLOWED'
    ? 'It is in a network that this service may not call: its operator lets it through with SLUICE_OUTBOUND_ALLOW.'
    : error.message
}

/** Of what its manifest names; of a list of images nothing is known. */
function sizeIn(body: string): number {
  const { config, layers = [] } = parseJsonObject(body) as { config?: { size?: number }; layers?: { size?: number }[] }
  return [config, ...layers].reduce((sum, part) => sum + (part?.size ?? 0), 0)
}

const notAsked = (host: string, description: string): StepFailure =>
  new StepFailure('artifactNotPublished', `The registry ${host} cannot be asked for its images.`, { description })
