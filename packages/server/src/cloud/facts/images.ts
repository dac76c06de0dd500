export type ObservedRepository = { name: string; address: string }

export type ObservedImage = { digest: string; tags: string[]; pushedAt?: Date; bytes?: number }

/** Account, region and name of a repository, from its image address. */
export type RegistryPlace = { accountNumber: string; region: string; repository: string }

/** Parses the address of an ECR repository. Returns undefined for other registries. */
export function registryPlace(address: string): RegistryPlace | undefined {
  const [, accountNumber, region, repository] =
    /^(\d{12})\.dkr\.ecr(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/([a-z0-9._/-]+)$/.exec(address) ?? []
  if (accountNumber === undefined || region === undefined || repository === undefined) return undefined
  return { accountNumber, region, repository }
}

/** Parses the address of a tagged ECR image. Returns undefined for a digest or another registry. */
export function taggedImage(address: string): (RegistryPlace & { tag: string }) | undefined {
  const [, repository = '', tag] = /^([^@]+?)(?::([^:/@]+))?$/.exec(address) ?? []
  const place = registryPlace(repository)
  return place && { ...place, tag: tag ?? 'latest' }
}

/** Returns an image address without its digest. */
export const withoutDigest = (address: string): string => address.split('@', 1)[0] ?? address
