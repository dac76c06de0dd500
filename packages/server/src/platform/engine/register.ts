import { listDeployments, moveDeployment, registerDeployment } from './admin.ts'

export interface Registration {
  adminUrl: string
  /** Where the engine reaches the worker. */
  workerUrl: string
  /**
   * Whether every worker the engine knows is this one at an older address, as in an embedded engine. Work in flight is
   * bound to the address it began on, so old addresses must be moved along or that work would wait for ever.
   */
  isOnlyWorker: boolean
}

/** Tells the engine where the worker is and what it handles. */
export async function registerWorker({ adminUrl, workerUrl, isOnlyWorker }: Registration): Promise<void> {
  if (isOnlyWorker) await moveOldAddresses(adminUrl, workerUrl)
  await registerDeployment(adminUrl, workerUrl)
}

async function moveOldAddresses(adminUrl: string, workerUrl: string): Promise<void> {
  for (const { id, uri } of await listDeployments(adminUrl)) {
    if (new URL(uri).href !== new URL(workerUrl).href) await moveDeployment(adminUrl, id, workerUrl)
  }
}
