import { CreateAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling'
import { CreateDocumentCommand } from '@aws-sdk/client-ssm'
import type { CloudClients } from '../src/cloud/adapter/access.ts'

export type GroupOptions = { name: string; size: number; runtime: 'container' | 'manual' }

const text = (description: string) => ({ type: 'String', description, default: '' })

/** Parameters of a group's command document by runtime. */
const parameters = {
  container: { imageUri: { type: 'String' }, deployId: { type: 'String' } },
  manual: {
    commands: { type: 'StringList' },
    deployId: { type: 'String' },
    sourceRepo: text('Repository to check out.'),
    sourceBranch: text('Its branch.'),
    sourceRef: text('Its commit or tag.'),
    sourceBasePath: text('The folder in it.'),
    sourceCredentialParameter: text('The secure parameter with what lets one in; empty where everybody is.'),
  },
}

const scripts = {
  container: 'release-container "{{ imageUri }}" "{{ deployId }}"',
  manual: '{{ commands }}',
}

/** Creates an Auto Scaling group and its command document, like a stack would. */
export async function createMachineGroup(clients: CloudClients, { name, size, runtime }: GroupOptions): Promise<void> {
  await createReleaseDocument(clients, { name, runtime })
  await clients.autoScaling.send(
    new CreateAutoScalingGroupCommand({
      AutoScalingGroupName: name,
      LaunchTemplate: { LaunchTemplateName: name, Version: '$Latest' },
      MinSize: 0,
      MaxSize: 20,
      DesiredCapacity: size,
      VPCZoneIdentifier: 'subnet-0a1b2c3d4e5f60711',
    }),
  )
}

/** Creates the command document that releases to an instance of the group `name`. */
export async function createReleaseDocument(
  { ssm }: CloudClients,
  { name, runtime }: Omit<GroupOptions, 'size'>,
): Promise<void> {
  const content = {
    schemaVersion: '2.2',
    description: `Releases to one instance of ${name}.`,
    parameters: parameters[runtime],
    mainSteps: [{ action: 'aws:runShellScript', name: 'release', inputs: { runCommand: [scripts[runtime]] } }],
  }
  const document = { DocumentType: 'Command', DocumentFormat: 'JSON', Content: JSON.stringify(content) } as const
  await ssm.send(new CreateDocumentCommand({ Name: `${name}-deploy`, ...document }))
}
