import { Badge, Box, Group, Text, UnstyledButton } from '@mantine/core'
import type { IacChangeReasons } from '@sluice/contract'
import { reasonInWords } from '@sluice/contract/plan-words'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef, useState } from 'react'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { IconChevronDown, IconChevronRight } from '../ui/icons.tsx'
import { toggled } from '../ui/toggled.ts'
import { variables } from '../ui/variables.ts'
import { AttributeDiff } from './attribute-diff.tsx'
import type { Group as Changes, PlannedResource } from './change-types.ts'
import { changeTypeStyle } from './change-types.ts'
import classes from './resource-list.module.css'

type Row = { id: string; heading: Changes } | { id: string; resource: PlannedResource }

/** Lists resources by type of change, with expandable attributes. Virtualized, because there can be thousands. */
export const ResourceList = ({ groups }: { groups: Changes[] }) => {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const container = useRef<HTMLDivElement>(null)
  const rows = groups.flatMap((group): Row[] => [
    { id: group.type, heading: group },
    ...group.resources.map((resource) => ({ id: resource.id, resource })),
  ])
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => container.current,
    estimateSize: () => 38,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 12,
  })
  return (
    <Box ref={container} component="section" className={classes.list} tabIndex={0} aria-label="Resources">
      <div className={classes.rows} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index]
          return (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className={classes.row}
              style={{ transform: `translateY(${start}px)` }}
            >
              {row && 'heading' in row && <Heading of={row.heading} />}
              {row && 'resource' in row && (
                <Resource
                  resource={row.resource}
                  isOpen={open.has(row.id)}
                  onToggle={() => setOpen(toggled(open, row.id))}
                />
              )}
            </div>
          )
        })}
      </div>
    </Box>
  )
}

const Heading = ({ of: { type, resources } }: { of: Changes }) => {
  const { label, color, Icon } = changeTypeStyle(type)
  return (
    <Group gap={6} px="sm" py={8} className={classes.heading}>
      <Badge color={color} variant="light" tt="none" leftSection={<Icon size={14} aria-hidden />}>
        {label}
      </Badge>
      <Text size="sm" c="dimmed">
        {resources.length} {resources.length === 1 ? 'resource' : 'resources'}
      </Text>
    </Group>
  )
}

type Props = { resource: PlannedResource; isOpen: boolean; onToggle: () => void }

const Resource = ({ resource, isOpen, onToggle }: Props) => {
  const { label, color, isDestructive } = changeTypeStyle(resource.changeType)
  const Chevron = isOpen ? IconChevronDown : IconChevronRight
  return (
    <div
      className={classes.resource}
      data-destructive={isDestructive}
      style={variables({ '--change': `var(--mantine-color-${color}-filled)` })}
    >
      <UnstyledButton w="100%" px="sm" py={8} aria-expanded={isOpen} onClick={onToggle}>
        <Group gap={8} wrap="nowrap">
          <Chevron size={16} aria-hidden className={classes.chevron} />
          <Text size="sm" component="span" className={classes.address}>
            {resource.address}
          </Text>
          {resource.driftStatus === 'DRIFTED' && (
            <Badge color="orange" variant="light" size="sm" tt="none">
              Drifted
            </Badge>
          )}
          {resource.why?.reasons.map((reason) => (
            <Badge key={reason} color="gray" variant="light" size="sm" tt="none">
              {reasonInWords(reason)}
            </Badge>
          ))}
          {isDestructive && (
            <Badge color={color} variant="light" size="sm" tt="none">
              {label}
            </Badge>
          )}
        </Group>
      </UnstyledButton>
      {isOpen && (
        <div className={classes.detail}>
          {resource.error && <ErrorPanel error={resource.error} />}
          {resource.why && <Why why={resource.why} />}
          <AttributeDiff resource={resource} />
        </div>
      )}
    </div>
  )
}

/** Shows the previous address, the import ID and the attributes that force a replacement. */
const Why = ({ why: { previousAddress, importId, replacePaths = [] } }: { why: IacChangeReasons }) => (
  <>
    {previousAddress !== undefined && <Text size="sm">Moved from {previousAddress}</Text>}
    {importId !== undefined && <Text size="sm">Imported by ID {importId}</Text>}
    {replacePaths.length > 0 && <Text size="sm">Replaced because of {replacePaths.join(', ')}</Text>}
  </>
)
