import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { json11 } from '../wire/json.ts'
import { endInvocation, tendCommand } from './command-run.ts'
import { ssmOperations } from './operations.ts'
import { ssmRights } from './rights.ts'
import { ssm } from './state.ts'

export const ssmService: CloudService = {
  protocol: json11,
  operations: ssmOperations,
  rights: ssmRights,
  model: readModel('ssm.model.json', import.meta.url),
  unordered: ['DescribeInstanceInformation', 'ListCommandInvocations'],
  open(world) {
    const { commands, invocations } = ssm(world)
    commands.onWake((command) => tendCommand(world, command))
    invocations.onWake((invocation) => endInvocation(world, invocation))
  },
}
