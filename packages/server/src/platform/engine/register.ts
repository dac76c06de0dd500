import type { EngineAddress } from './address.ts'
import { listDeployments, listStranded, moveDeployment, registerDeployment, resumeOnNewest } from './admin.ts'

export interface Registration {
  admin: EngineAddress
  /** Where the engine reaches the worker. */
  workerUrl: string
  /** The names of its services. What answers at a shared address may be a worker of another version, with others. */
  serviceNames: readonly string[]
  /**
   * Whether every worker the engine knows is this one at an older address, as in an embedded engine. Work in flight is
   * bound to the address it began on, so old addresses must be moved along or that work would wait for ever.
   */
  isOnlyWorker: boolean
}

/** Tells the engine where the worker is and what it handles, and lets what a lost registration left behind go on. */
export async function registerWorker({ admin, workerUrl, isOnlyWorker }: Registration): Promise<void> {
  if (isOnlyWorker) await moveOldAddresses(admin, workerUrl)
  await registerDeployment(admin, workerUrl)
  for (const invocation of await listStranded(admin)) await resumeOnNewest(admin, invocation)
}

async function moveOldAddresses(admin: EngineAddress, workerUrl: string): Promise<void> {
  for (const { id, uri } of await listDeployments(admin)) {
    if (!isSameUrl(uri, workerUrl)) await moveDeployment(admin, id, workerUrl)
  }
}

/** Returns whether the engine knows the worker with all of its services. Throws where it cannot be asked. */
export async function isRegistered({
  admin,
  workerUrl,
  serviceNames,
}: Pick<Registration, 'admin' | 'workerUrl' | 'serviceNames'>): Promise<boolean> {
  const found = (await listDeployments(admin)).find(({ uri }) => isSameUrl(uri, workerUrl))
  const known = new Set(found?.services.map(({ name }) => name))
  return found !== undefined && serviceNames.every((name) => known.has(name))
}

const isSameUrl = (a: string, b: string) => new URL(a).href === new URL(b).href
