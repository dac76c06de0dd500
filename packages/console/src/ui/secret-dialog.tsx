import { Alert, Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { IconEyeOff } from './icons.tsx'

type Props = { title: string; isOpen: boolean; onClose: () => void; children: ReactNode }

/** Dialog for secrets that can't be shown again. It stays open until it is closed explicitly. */
export const SecretDialog = ({ title, isOpen, onClose, children }: Props) => (
  <Modal
    opened={isOpen}
    onClose={onClose}
    title={title}
    size="lg"
    closeOnClickOutside={false}
    closeOnEscape={false}
    withCloseButton={false}
  >
    <Stack>
      <Alert color="orange" variant="light" icon={<IconEyeOff aria-hidden />} title="Shown only once">
        Copy it now. Sluice doesn’t show it again.
      </Alert>
      {children}
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  </Modal>
)
