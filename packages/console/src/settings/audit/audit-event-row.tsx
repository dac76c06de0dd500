import { Anchor, Button, Code, Collapse, Group, Stack, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { AuditEvent } from '@sluice/contract'
import { useId } from 'react'
import { channelLabels } from '../../decisions/decision-labels.ts'
import { CopyableId } from '../../ui/buttons/copyable-id.tsx'
import { IconChevronDown, IconChevronRight } from '../../ui/icons.tsx'
import { TimeOfDay } from '../../ui/time.tsx'
import { RecordLink } from '../projects/record-link.tsx'
import type { Filters } from './audit-filter-names.ts'
import { type FieldChange, fieldChanges, sentenceOf } from './sentence.ts'
import { fieldName, type Names, valueText } from './values.ts'

type Props = {
  event: AuditEvent
  names: Names
  /** Filters the log by a value of the event; absent where there are no filters. */
  onFilter?: ((name: keyof Filters, value: string) => void) | undefined
}

/** Shows an audit event as a sentence, with the changed fields and the JSON on request. */
export const AuditEventRow = ({ event, names, onFilter }: Props) => {
  const [areFieldsOpen, fields] = useDisclosure(false)
  const [isJsonOpen, json] = useDisclosure(false)
  const ids = useId()
  const changes = fieldChanges(event)
  return (
    <Stack gap={6} py="sm">
      <Group justify="space-between" gap="xs" align="baseline" wrap="nowrap">
        <Sentence event={event} names={names} onFilter={onFilter} />
        <Text size="sm" c="dimmed" style={{ flexShrink: 0 }}>
          <TimeOfDay at={event.createdAt} />
        </Text>
      </Group>
      <Group gap="md">
        <Text size="xs" c="dimmed">
          <Origin event={event} onFilter={onFilter} />
        </Text>
        {changes.length > 0 && (
          <Fold isOpen={areFieldsOpen} onToggle={fields.toggle} controls={`${ids}-fields`}>
            {event.before ? 'Changes' : 'Details'}
          </Fold>
        )}
        <Fold isOpen={isJsonOpen} onToggle={json.toggle} controls={`${ids}-json`}>
          JSON
        </Fold>
      </Group>
      <Collapse expanded={areFieldsOpen} id={`${ids}-fields`}>
        {areFieldsOpen && <Fields changes={changes} names={names} />}
      </Collapse>
      <Collapse expanded={isJsonOpen} id={`${ids}-json`}>
        {isJsonOpen && <Json event={event} />}
      </Collapse>
    </Stack>
  )
}

const Sentence = ({ event, names, onFilter }: Props) => {
  const { action, record, isScope, end } = sentenceOf(event, names)
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      <Filtering name="actorId" value={event.actorId} onFilter={onFilter} isStrong>
        {event.actorName}
      </Filtering>{' '}
      {action}
      {record !== undefined && (
        <>
          {isScope ? ' in ' : ' '}
          <Text span inherit fw={600}>
            {record}
          </Text>
        </>
      )}
      {end !== undefined && ` ${end}`}
    </Text>
  )
}

const Origin = ({ event: { channel, ipAddress, resourceType, resourceId }, onFilter }: Omit<Props, 'names'>) => (
  <>
    Via{' '}
    <Filtering name="channel" value={channel} onFilter={onFilter}>
      {channelLabels[channel]}
    </Filtering>
    {ipAddress && ` from ${ipAddress}`} ·{' '}
    <Filtering name="resourceId" value={resourceId} onFilter={onFilter}>
      History of this record
    </Filtering>
    <RecordLink type={resourceType} id={resourceId} />
  </>
)

type FilteringProps = Pick<Props, 'onFilter'> & {
  name: keyof Filters
  value: string
  isStrong?: boolean
  children: string
}

/** Value that filters the log when clicked. */
const Filtering = ({ name, value, onFilter, isStrong = false, children }: FilteringProps) =>
  onFilter ? (
    <Anchor
      component="button"
      type="button"
      inherit
      c="inherit"
      fw={isStrong ? 600 : undefined}
      underline="hover"
      title={`Filter by ${children}`}
      onClick={() => onFilter(name, value)}
    >
      {children}
    </Anchor>
  ) : (
    <Text span inherit fw={isStrong ? 600 : undefined}>
      {children}
    </Text>
  )

type FoldProps = { isOpen: boolean; onToggle: () => void; controls: string; children: string }

const Fold = ({ isOpen, onToggle, controls, children }: FoldProps) => (
  <Button
    variant="subtle"
    color="gray"
    size="compact-xs"
    aria-expanded={isOpen}
    aria-controls={controls}
    leftSection={isOpen ? <IconChevronDown size={12} aria-hidden /> : <IconChevronRight size={12} aria-hidden />}
    onClick={onToggle}
  >
    {children}
  </Button>
)

const Fields = ({ changes, names }: { changes: readonly FieldChange[]; names: Names }) => {
  const hasBefore = changes.some((change) => change.hasBefore)
  return (
    <Table.ScrollContainer minWidth={300}>
      <Table withTableBorder verticalSpacing={6} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="30%">Field</Table.Th>
            {hasBefore && <Table.Th>Before</Table.Th>}
            <Table.Th>{hasBefore ? 'After' : 'Value'}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.map(({ field, before, after }) => (
            <Table.Tr key={field}>
              <Table.Td>{fieldName(field)}</Table.Td>
              {hasBefore && (
                <Table.Td>
                  <Value value={before} names={names} />
                </Table.Td>
              )}
              <Table.Td>
                <Value value={after} names={names} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

const Value = ({ value, names }: { value: unknown; names: Names }) => {
  const text = valueText(value, names)
  if (text !== undefined) return <span style={{ overflowWrap: 'anywhere' }}>{text}</span>
  return (
    <Code block style={{ whiteSpace: 'pre-wrap' }}>
      {JSON.stringify(value, null, 2)}
    </Code>
  )
}

const Json = ({ event }: { event: AuditEvent }) => (
  <Stack gap="xs">
    <CopyableId id={event.id} />
    <Code block tabIndex={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {JSON.stringify(event, null, 2)}
    </Code>
  </Stack>
)
