import { readModel } from '../model/model.ts'
import type { CloudService } from '../service.ts'
import { json11 } from '../wire/json.ts'
import { advanceCommand, endInvocation } from './command-run.ts'
import { ssmOperations } from './operations.ts'
import { ssmRights } from './rights.ts'
import { ssm } from './state.ts'

export const ssmService: CloudService = {
  title: 'AWS Systems Manager',
  decisions: [
    'A command resolves its instances one second after the request, and is listed from then on.',
    'Invocations that a command did not send because of too many errors end as `Cancelled`, `Terminated`.',
    'A command that reached only some of its instances is `Success`, `Incomplete`.',
    'A command without instances is `Success`, `NoInstancesInTag`.',
  ],
  differences: ['Nothing runs on instances: the result of a command is the result of its last step.'],
  protocol: json11,
  operations: ssmOperations,
  rights: ssmRights,
  model: readModel('ssm.model.json', import.meta.url),
  unordered: ['DescribeInstanceInformation', 'ListCommandInvocations'],
  open(world) {
    const { commands, invocations } = ssm(world)
    commands.onWake((command) => advanceCommand(world, command))
    invocations.onWake((invocation) => endInvocation(world, invocation))
  },
}
