import { ApiError } from '@sluice/client'
import { useQuery } from '@tanstack/react-query'
import { client } from '../api/client.ts'
import { type Config, locateProblems, type Problem } from '../config-editor/config-text.ts'

export type Draft = { moduleDefinitionId: string; version: string; text: string; config: Config }

/** Result of validating a version: errors prevent publishing, warnings don't. */
export type ValidationResult = { faults: Problem[]; warnings: Problem[] }

/** Validates a module version while it is being edited. */
export function useDryRun(draft: Draft | undefined) {
  return useQuery({
    queryKey: ['moduleDryRun', draft?.moduleDefinitionId, draft?.version, draft?.text],
    queryFn: ({ signal }) => (draft ? dryRun(draft, signal) : { faults: [], warnings: [] }),
    enabled: draft !== undefined,
    gcTime: 60_000,
  })
}

async function dryRun(
  { moduleDefinitionId, version, text, config }: Draft,
  signal: AbortSignal,
): Promise<ValidationResult> {
  const data = { moduleDefinitionId, version, description: 'Dry run.', config, dryRun: true }
  try {
    let warnings: Problem[] = []
    const warned = (told: string[]) => {
      warnings = locateProblems(text, told)
    }
    await client.createModuleVersion({ body: { data } }, { signal, warned })
    return { faults: [], warnings }
  } catch (error) {
    const told = error instanceof ApiError ? error.error.details?.flatMap(({ items = [] }) => items) : undefined
    if (told === undefined || told.length === 0) throw error
    return { faults: locateProblems(text, told), warnings: [] }
  }
}
