import type { RunnerPath } from '@sluice/contract/runner-protocol'
import type { TSchema } from 'typebox'
import type { Database } from '../../platform/db/open.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import type { AttemptTokens } from './attempt-tokens.ts'
import { findPresentStep } from './claim.ts'
import type { Door } from './doors.ts'

export type AttemptDoorParts = { ofOrganization: Database['ofOrganization']; attemptTokens: AttemptTokens }

/** Returns a function that defines endpoints which accept the token of an attempt while the attempt is in progress. */
export const attemptDoors =
  ({ ofOrganization, attemptTokens }: AttemptDoorParts) =>
  <Body extends TSchema>(
    path: RunnerPath,
    body: Body,
    answer: Door<PipelineStepExecutionRow, Body>['answer'],
    limits: Pick<Door<PipelineStepExecutionRow, Body>, 'bodyLimit' | 'bounds'> = {},
  ): Door<PipelineStepExecutionRow, Body> => ({
    path,
    body,
    answer,
    ...limits,
    async whoIs(token) {
      const attempt = attemptTokens.read(token)
      if (!attempt) throw new Refusal('unauthenticated', 'Send the token of an attempt.')
      const step = await findPresentStep(ofOrganization(attempt.organizationId), attempt)
      if (step) return step
      throw attemptOver()
    },
  })

export const attemptOver = () =>
  new Refusal('attemptOver', 'The attempt is over: its step has ended, or is in other hands.')
