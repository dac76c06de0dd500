import { imagesOf } from '../../delivery/deployments/representation/images.ts'
import type { DeploymentRow } from '../../delivery/deployments/store/tables.ts'

/**
 * Returns a purl (https://github.com/package-url/purl-spec) of what a release runs: the first container's image or,
 * without an image, the deployment.
 */
export function artifactOf(
  name: string,
  { id, release, data }: Pick<DeploymentRow, 'id' | 'release' | 'data'>,
): string {
  const [image] = imagesOf(release, data) ?? []
  if (!image) return `pkg:generic/${encodeURIComponent(name)}@${id}`
  const { registry, repository, tag, digest } = image
  const version = digest === undefined ? '' : `@${encodeURIComponent(digest)}`
  const place = encodeURIComponent(`${registry}/${repository}`).replaceAll('%2F', '/')
  const tagged = tag === undefined ? '' : `&tag=${encodeURIComponent(tag)}`
  return `pkg:oci/${repository.split('/').at(-1)}${version}?repository_url=${place}${tagged}`
}
