import { Text } from '@mantine/core'
import type { EcsDeploymentData } from '@sluice/contract'
import { DifferenceList } from '../ui/difference-list.tsx'
import { differencesOf } from '../ui/differences.ts'

/** How the new task definition differs from the one before. */
export const DefinitionChanges = ({ data }: { data: EcsDeploymentData }) => {
  const { previousTaskDefinition: before, deployedTaskDefinition: after } = data
  if (!before || !after) return <Text c="dimmed">The two can be compared when the new one is registered.</Text>
  const differences = differencesOf(written(before.definition), written(after.definition))
  if (differences.length === 0) return <Text c="dimmed">Nothing: the same definition is released again.</Text>
  return <DifferenceList differences={differences} />
}

/** What the cloud writes by itself into every revision. */
const noise = new Set(['revision', 'taskDefinitionArn', 'registeredAt', 'registeredBy', 'status', 'requiresAttributes'])

const written = (definition: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(definition).filter(([name]) => !noise.has(name)))
