import { ActionIcon, Code, CopyButton, Group, Stack, Text, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '../icons.tsx'

type Props = { label: string; value: string }

/** Shows a text with a copy button. */
export const Copyable = ({ label, value }: Props) => (
  <Stack gap={4}>
    <Text size="sm" fw={600}>
      {label}
    </Text>
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Code
        block
        mah={200}
        tabIndex={0}
        style={{ flex: 1, minWidth: 0, overflow: 'auto', overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}
      >
        {value}
      </Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : 'Copy'}>
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={copied ? `${label}: copied` : `Copy ${label}`}
              onClick={copy}
            >
              {copied ? <IconCheck size={18} aria-hidden /> : <IconCopy size={18} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  </Stack>
)
