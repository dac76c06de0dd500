import { cloud } from './cloud/domain.ts'
import { delivery } from './delivery/domain.ts'
import { gates } from './gates/domain.ts'
import { git } from './git/domain.ts'
import { identity } from './identity/domain.ts'
import { infrastructure } from './infrastructure/domain.ts'
import { wholeInterface } from './interface/domain.ts'
import { modules } from './modules/domain.ts'
import { notifications } from './notifications/domain.ts'
import { pipelines } from './pipelines/domain.ts'
import type { Domain } from './platform/domain.ts'
import { projects } from './projects/domain.ts'
import { stacks } from './stacks/domain.ts'

/** All domains: each knows those before it. */
export const domains: readonly Domain[] = [
  identity,
  cloud,
  git,
  projects,
  stacks,
  modules,
  gates,
  delivery,
  pipelines,
  infrastructure,
  notifications,
  wholeInterface,
]
