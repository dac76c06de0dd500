import { ActionIcon, CopyButton, Group, Text, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '../icons.tsx'

type Props = {
  id: string
  /** Shortened text, if space is limited. */
  shown?: string
}

/** Shows an ID with a copy button. */
export const CopyableId = ({ id, shown = id }: Props) => (
  <Group gap={2} component="span" display="inline-flex" wrap="nowrap" data-copied>
    <Text
      span
      title={shown === id ? undefined : id}
      size="sm"
      c="dimmed"
      ff="monospace"
      style={{ overflowWrap: 'anywhere' }}
    >
      {shown}
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
