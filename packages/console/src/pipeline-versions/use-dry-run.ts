import { ApiError } from '@sluice/client'
import type { PipelineVersionDryRun } from '@sluice/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { client } from '../api/client.ts'
import { queryKeyOf } from '../api/use-operation.ts'
import { type Config, locateProblems, type Problem } from '../config-editor/config-text.ts'
import { blockingPolicyIn } from '../policies/blocking-policy.ts'

export type ValidationResult = { dryRun: PipelineVersionDryRun } | { faults: Problem[]; told: string[] }

/** Validates a configuration: returns its changes, or its problems with their positions. */
export function useDryRun(pipelineId: string, text: string, config: Config | undefined) {
  return useQuery({
    queryKey: [...queryKeyOf('createPipelineVersion'), pipelineId, text],
    queryFn: ({ signal }) => dryRun(pipelineId, text, config ?? {}, signal),
    enabled: config !== undefined,
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  })
}

async function dryRun(
  pipelineId: string,
  text: string,
  config: Config,
  signal: AbortSignal,
): Promise<ValidationResult> {
  try {
    const { data } = await client.createPipelineVersion(
      { body: { data: { pipelineId, config, dryRun: true } } },
      { signal },
    )
    return { dryRun: data as PipelineVersionDryRun }
  } catch (error) {
    if (error instanceof ApiError && blockingPolicyIn(error.error) !== undefined) throw error
    const told = error instanceof ApiError ? error.error.details?.flatMap(({ items = [] }) => items) : undefined
    if (told === undefined || told.length === 0) throw error
    return { faults: locateProblems(text, told), told }
  }
}
