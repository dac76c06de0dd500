export type RepositorySeen = { name: string; address: string }

export type ImageSeen = { digest: string; tags: string[]; pushedAt?: Date; bytes?: number }

/** Where a repository is, by the address that images are pulled from. */
export type RegistryPlace = { accountNumber: string; region: string; repository: string }

/** Undefined where the address is of another registry than an account's own. */
export function registryPlace(address: string): RegistryPlace | undefined {
  const [, accountNumber, region, repository] =
    /^(\d{12})\.dkr\.ecr(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/([a-z0-9._/-]+)$/.exec(address) ?? []
  if (accountNumber === undefined || region === undefined || repository === undefined) return undefined
  return { accountNumber, region, repository }
}

/** An image of an account's own registry by its tag; undefined of one that names its digest, or lies elsewhere. */
export function taggedImage(address: string): (RegistryPlace & { tag: string }) | undefined {
  const [, repository = '', tag] = /^([^@]+?)(?::([^:/@]+))?$/.exec(address) ?? []
  const place = registryPlace(repository)
  return place && { ...place, tag: tag ?? 'latest' }
}

/** The address of an image as far as its tag. */
export const withoutDigest = (address: string): string => address.split('@', 1)[0] ?? address
