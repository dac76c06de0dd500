import { toDeployment } from '../../delivery/deployments/wake.ts'
import type { Message } from '../../platform/engine/messages.ts'
import type { Told } from './look.ts'
import { toRun, toStep } from './wake.ts'

/** What the engine is told of what became of a run. */
export const messagesOf = ({ runs = [], steps = [], deployments = [] }: Partial<Told>): Message[] => [
  ...runs.map((id) => toRun(id)),
  ...steps.map((id) => toStep(id)),
  ...deployments.map((id) => toDeployment(id)),
]
