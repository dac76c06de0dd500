import type { BuildPhaseType, CreateProjectInput, PhaseContext, StatusType } from '@aws-sdk/client-codebuild'
import type { Scope } from '../arns.ts'
import type { Behaviour } from '../ecs/behaviour.ts'
import type { Row } from '../store.ts'
import { defineState } from '../world.ts'

/** CodeBuild project. Key: its ARN. */
export interface Project extends Row {
  scope: Scope
  name: string
  content: CreateProjectInput
  createdAt: number
  modifiedAt: number
  /** Number of builds that the project has had. */
  builds: number
}

export interface Phase {
  type: BuildPhaseType
  startedAt: number
  status?: StatusType
  endedAt?: number
  context?: PhaseContext
}

/** CodeBuild build. Key: its ARN. */
export interface Build extends Row {
  scope: Scope
  /** Build id in the form `PROJECT:UUID`. */
  id: string
  /** ARN of the build's project. */
  project: string
  number: number
  /** Project settings at the start, merged with those of the request. */
  content: CreateProjectInput
  initiator: string
  behaviour: Behaviour
  /** Local program that its image stands for. */
  argv?: string[] | undefined
  phases: Phase[]
  status: StatusType
  startedAt: number
  endedAt?: number
  /** Log group and stream, once opened. */
  logs?: { group: string; stream: string }
}

/** Recorded StartBuild request with a token. Key: scope and token. */
export interface StartRequest extends Row {
  request: string
  build: string
  at: number
}

/** Tables of the simulated CodeBuild. */
export const codeBuild = defineState((world) => ({
  projects: world.table<Project>('build-project', { scope: (row) => row.scope }),
  builds: world.table<Build>('build', { project: (row) => row.project }),
  requests: world.table<StartRequest>('build-request'),
}))
