import { readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Requirements that an image must meet: see containers-policy.json(5). */
type Requirements = readonly object[]
type Policy = { default?: Requirements; transports?: { docker?: Record<string, Requirements> } }

/** Places of the machine's own policy, of which the first one counts. */
const policyPlaces = (): string[] => [join(homedir(), '.config/containers/policy.json'), '/etc/containers/policy.json']

/**
 * Writes the policy for images that a Dockerfile uses, and returns its path: images of registries, if they meet the
 * machine's own requirements, and no others. Otherwise `FROM` and `COPY --from` could read images from files and stores
 * of the machine, such as `oci:/path` and `containers-storage:[…]`.
 */
export async function writeImagePolicy(folder: string): Promise<string> {
  const path = join(folder, 'image-policy.json')
  await writeFile(path, JSON.stringify(registriesOnly(await readMachinePolicy())), { mode: 0o644 })
  return path
}

/** Returns the policy that rejects all images except those of registries that the machine's policy accepts. */
export function registriesOnly({ default: otherwise = acceptAnything, transports }: Policy): Policy {
  return { default: [{ type: 'reject' }], transports: { docker: { '': otherwise, ...transports?.docker } } }
}

const acceptAnything: Requirements = [{ type: 'insecureAcceptAnything' }]

async function readMachinePolicy(): Promise<Policy> {
  for (const place of policyPlaces()) {
    const text = await readFile(place, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (text !== undefined) return JSON.parse(text)
  }
  return {}
}
