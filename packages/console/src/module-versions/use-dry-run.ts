import { ApiError } from '@sluice/client'
import { useQuery } from '@tanstack/react-query'
import { client } from '../api/client.ts'
import { type Config, type Fault, placeFaults } from '../config-editor/config-text.ts'

export type Draft = { moduleDefinitionId: string; version: string; text: string; config: Config }

/** What the service says of a version: faults where it would not publish it, else what may not be as it is meant. */
export type Verdict = { faults: Fault[]; warnings: Fault[] }

/** What the service finds wrong with a version that is being written. */
export function useDryRun(draft: Draft | undefined) {
  return useQuery({
    queryKey: ['moduleDryRun', draft?.moduleDefinitionId, draft?.version, draft?.text],
    queryFn: ({ signal }) => (draft ? dryRun(draft, signal) : { faults: [], warnings: [] }),
    enabled: draft !== undefined,
    gcTime: 60_000,
  })
}

async function dryRun({ moduleDefinitionId, version, text, config }: Draft, signal: AbortSignal): Promise<Verdict> {
  const data = { moduleDefinitionId, version, description: 'Dry run.', config, dryRun: true }
  try {
    let warnings: Fault[] = []
    const warned = (told: string[]) => {
      warnings = placeFaults(text, told)
    }
    await client.createModuleVersion({ body: { data } }, { signal, warned })
    return { faults: [], warnings }
  } catch (error) {
    const told = error instanceof ApiError ? error.error.details?.flatMap(({ items = [] }) => items) : undefined
    if (told === undefined || told.length === 0) throw error
    return { faults: placeFaults(text, told), warnings: [] }
  }
}
