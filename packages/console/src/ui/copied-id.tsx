import { ActionIcon, CopyButton, Group, Text, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'

/** An id as programs take it, with the button that takes it. */
export const CopiedId = ({ id }: { id: string }) => (
  <Group gap={2} component="span" display="inline-flex" wrap="nowrap">
    <Text span size="sm" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
      {id}
    </Text>
    <CopyButton value={id}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : 'Copy'}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={copied ? `${id}: copied` : `Copy ${id}`}
            onClick={copy}
          >
            {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  </Group>
)
