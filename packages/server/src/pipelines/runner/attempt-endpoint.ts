import type { RunnerPath } from '@sluice/contract/runner-protocol'
import type { TSchema } from 'typebox'
import type { Database } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import type { AttemptTokens } from './attempt-tokens.ts'
import { findCurrentStep } from './claim.ts'
import type { RunnerEndpoint } from './endpoints.ts'

export type AttemptEndpointParts = { ofOrganization: Database['ofOrganization']; attemptTokens: AttemptTokens }

/** Returns a function that defines endpoints which accept the token of an attempt while the attempt is in progress. */
export const attemptEndpoints =
  ({ ofOrganization, attemptTokens }: AttemptEndpointParts) =>
  <Body extends TSchema>(
    path: RunnerPath,
    body: Body,
    answer: RunnerEndpoint<PipelineStepExecutionRow, Body>['answer'],
    limits: Pick<RunnerEndpoint<PipelineStepExecutionRow, Body>, 'bodyLimit' | 'bounds'> = {},
  ): RunnerEndpoint<PipelineStepExecutionRow, Body> => ({
    path,
    body,
    answer,
    ...limits,
    async whoIs(token) {
      const attempt = attemptTokens.read(token)
      if (!attempt) throw new ApiError('unauthenticated', 'Send the token of an attempt.')
      const step = await findCurrentStep(ofOrganization(attempt.organizationId), attempt)
      if (step) return step
      throw attemptOver()
    },
  })

export const attemptOver = () =>
  new ApiError('attemptOver', 'The attempt has ended: its step has ended, or another attempt is now executing it.')
