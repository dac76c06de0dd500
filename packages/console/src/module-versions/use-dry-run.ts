import { ApiError } from '@sluice/client'
import { useQuery } from '@tanstack/react-query'
import { client } from '../api/client.ts'
import { type Config, type Fault, placeFaults } from '../config-editor/config-text.ts'

export type Draft = { moduleDefinitionId: string; version: string; text: string; config: Config }

/** What the service finds wrong with a version that is being written; nothing where it would publish it. */
export function useDryRun(draft: Draft | undefined) {
  return useQuery({
    queryKey: ['moduleDryRun', draft?.moduleDefinitionId, draft?.version, draft?.text],
    queryFn: ({ signal }) => (draft ? dryRun(draft, signal) : []),
    enabled: draft !== undefined,
    gcTime: 60_000,
  })
}

async function dryRun({ moduleDefinitionId, version, text, config }: Draft, signal: AbortSignal): Promise<Fault[]> {
  const data = { moduleDefinitionId, version, description: 'Dry run.', config, dryRun: true }
  try {
    await client.createModuleVersion({ body: { data } }, { signal })
    return []
  } catch (error) {
    const told = error instanceof ApiError ? error.error.details?.flatMap(({ items = [] }) => items) : undefined
    if (told === undefined || told.length === 0) throw error
    return placeFaults(text, told)
  }
}
