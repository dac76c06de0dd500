import type { Client } from '@sluice/client'
import { isMissing } from './missing.ts'

type Found = { id: string; givenId: string; name: string }

/** Finds a module instance by its id, or by its givenId if that is unique. */
export const findModuleInstance = (client: Client, word: string): Promise<Found> =>
  find(word, 'module instance', {
    byId: async (id) => (await client.getModuleInstance({ params: { id } })).data,
    byGivenId: async (givenId) => (await client.listModuleInstances({ query: { givenId, limit: 100 } })).data,
  })

/** Finds an environment by its id, or by its givenId if that is unique. */
export const findEnvironment = (client: Client, word: string): Promise<Found> =>
  find(word, 'environment', {
    byId: async (id) => (await client.getEnvironment({ params: { id } })).data,
    byGivenId: async (givenId) =>
      (await client.listEnvironments({ query: { limit: 100 } })).data.filter((one) => one.givenId === givenId),
  })

/** Finds a project by its id or givenId. */
export const findProject = (client: Client, word: string): Promise<Found> =>
  find(word, 'project', {
    byId: async (id) => (await client.getProject({ params: { id } })).data,
    byGivenId: async (givenId) =>
      (await client.listProjects({ query: { limit: 100 } })).data.filter((one) => one.givenId === givenId),
  })

/** Finds a pipeline by its id, or by its givenId if that is unique. */
export const findPipeline = (client: Client, word: string): Promise<Found> =>
  find(word, 'pipeline', {
    byId: async (id) => (await client.getPipeline({ params: { id } })).data,
    byGivenId: async (givenId) => (await client.listPipelines({ query: { givenId, limit: 100 } })).data,
  })

/**
 * Throws an error for an id that is neither a deployment's nor a run's. The service's own error would only mention the
 * second lookup.
 */
export function throwNeitherDeploymentNorRun(id: string, error: unknown): never {
  if (!isMissing(error)) throw error
  throw new Error(`There is neither a deployment nor a run of a pipeline ${id} in this organization.`, { cause: error })
}

type Ways = { byId(id: string): Promise<Found>; byGivenId(givenId: string): Promise<Found[]> }

async function find(word: string, kind: string, { byId, byGivenId }: Ways): Promise<Found> {
  const byItsId = await byId(word).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
  if (byItsId) return byItsId
  const [found, ...others] = await byGivenId(word)
  if (!found)
    throw new Error(`There is no ${kind} ${word}. sluice get ${kind.replace(' ', '-')}s lists the existing ones.`)
  if (others.length > 0) {
    const ids = [found, ...others].map(({ id, name }) => `\n  ${id}  ${name}`)
    throw new Error(`More than one ${kind} is called ${word}. Name one by its id:${ids.join('')}`)
  }
  return found
}
