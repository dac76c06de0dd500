import { Text } from '@mantine/core'
import type { EcsDeploymentData } from '@sluice/contract'
import { writtenDefinition } from '@sluice/contract/release-record'
import { DifferenceList } from '../ui/difference-list.tsx'
import { differencesOf } from '../ui/differences.ts'

/** How the new task definition differs from the one before. */
export const DefinitionChanges = ({ data }: { data: EcsDeploymentData }) => {
  const { previousTaskDefinition: before, deployedTaskDefinition: after } = data
  if (!before || !after) return <Text c="dimmed">The two can be compared when the new one is registered.</Text>
  const differences = differencesOf(writtenDefinition(before.definition), writtenDefinition(after.definition))
  if (differences.length === 0) return <Text c="dimmed">Nothing: the same definition is released again.</Text>
  return <DifferenceList differences={differences} />
}
