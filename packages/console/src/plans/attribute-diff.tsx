import { Badge, Code, ScrollArea, Table, Text, VisuallyHidden } from '@mantine/core'
import type { IacResource } from '@sluice/contract'
import { IconEyeOff, IconHourglass } from '../ui/icons.tsx'
import { attributeChanges } from './attribute-changes.ts'

/** Shows the changed attributes of a resource. */
export const AttributeDiff = ({ resource: { vendorData, address } }: { resource: IacResource }) => {
  const changes = attributeChanges(vendorData.before, vendorData.after)
  if (changes.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No attribute changes.
      </Text>
    )
  }
  return (
    <ScrollArea>
      <Table aria-label={`Attributes of ${address}`} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Attribute</Table.Th>
            <Table.Th>Before</Table.Th>
            <Table.Th>After</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.map(({ path, before, after }) => (
            <Table.Tr key={path}>
              <Table.Td>{path}</Table.Td>
              <Table.Td>
                <Value of={before} />
              </Table.Td>
              <Table.Td>
                <Value of={after} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  )
}

/** Placeholders for sensitive values and for values known only after the apply. */
const standIns: Record<string, { label: string; Icon: typeof IconEyeOff }> = {
  '(sensitive)': { label: 'sensitive', Icon: IconEyeOff },
  '(known after apply)': { label: 'known after apply', Icon: IconHourglass },
}

const Value = ({ of }: { of: unknown }) => {
  if (of === undefined) {
    return (
      <Text c="dimmed" component="span">
        <span aria-hidden>–</span>
        <VisuallyHidden>not set</VisuallyHidden>
      </Text>
    )
  }
  const standIn = typeof of === 'string' ? standIns[of] : undefined
  if (!standIn)
    return <Code style={{ whiteSpace: 'pre-wrap' }}>{typeof of === 'string' ? of : JSON.stringify(of)}</Code>
  return (
    <Badge variant="default" size="sm" tt="none" fw={500} leftSection={<standIn.Icon size={12} aria-hidden />}>
      {standIn.label}
    </Badge>
  )
}
