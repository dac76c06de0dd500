import { Badge, Code, Group, Stack, Text } from '@mantine/core'
import type { PatchOp } from '@sluice/contract'

const looks = {
  add: { label: 'Added', color: 'teal' },
  remove: { label: 'Removed', color: 'red' },
  replace: { label: 'Changed', color: 'water' },
  move: { label: 'Moved', color: 'gray' },
} as const

/** Lists the differences of a configuration. */
export const PatchList = ({ patch }: { patch: readonly PatchOp[] }) => (
  <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
    {patch.map((op, index) => (
      <li key={index}>
        <Difference of={op} />
      </li>
    ))}
  </Stack>
)

const Difference = ({ of: { op, path, pathLabel, fromValue, value } }: { of: PatchOp }) => {
  const { label, color } = looks[op]
  return (
    <Stack gap={4}>
      <Group gap={8} wrap="nowrap" align="flex-start">
        <Badge color={color} variant="light" tt="none" style={{ flex: 'none' }}>
          {label}
        </Badge>
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {pathLabel ?? path}
        </Text>
      </Group>
      {op !== 'move' && fromValue !== undefined && <Value label="before" of={fromValue} />}
      {value !== undefined && <Value label="after" of={value} />}
    </Stack>
  )
}

const Value = ({ label, of }: { label: string; of: unknown }) => (
  <Group gap={8} wrap="nowrap" align="flex-start">
    <Text size="xs" c="dimmed" w={44} style={{ flex: 'none' }}>
      {label}
    </Text>
    <Code style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', minWidth: 0 }}>
      {typeof of === 'string' ? of : JSON.stringify(of, null, 1)}
    </Code>
  </Group>
)
