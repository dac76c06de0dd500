import type { EngineAddress } from './address.ts'
import { listDeployments, listStranded, moveDeployment, registerDeployment, resumeOnNewest } from './admin.ts'

export interface Registration {
  admin: EngineAddress
  /** Address of the worker for the engine. */
  workerUrl: string
  /** Names of its services. A worker of another version at a shared address may serve others. */
  serviceNames: readonly string[]
  /**
   * Whether every known worker is this one at an earlier address, as with an embedded engine. Running work is bound to
   * the address on which it started, and must be moved from old addresses.
   */
  isOnlyWorker: boolean
}

/** Registers a worker with its handlers, and resumes work that a lost registration interrupted. */
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

/** Reports whether the engine knows the worker with all of its services. Throws if the engine does not respond. */
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
