import { Button, type ButtonProps, Group, Modal, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Permission } from '@sluice/contract'
import type { ReactNode } from 'react'
import { AllowedButton } from './allowed-button.tsx'

type Props = ButtonProps & {
  /** What it takes; without it, everybody may. */
  needs?: Permission
  /** Why it does nothing for anybody now. */
  keptFrom?: string | undefined
  label: string
  /** For screen readers, where the label says too little. */
  ariaLabel?: string
  question: string
  /** What happens then. */
  children: ReactNode
  onConfirm: () => void
}

/** A button for what cannot be taken back: it asks first. */
export const ConfirmButton = ({
  needs,
  keptFrom,
  label,
  ariaLabel,
  question,
  children,
  onConfirm,
  ...button
}: Props) => {
  const [isAsking, { open, close }] = useDisclosure(false)
  const words = { children: label, ...(ariaLabel !== undefined && { 'aria-label': ariaLabel }) }
  return (
    <>
      {needs ? (
        <AllowedButton {...button} {...words} needs={needs} keptFrom={keptFrom} onClick={open} />
      ) : (
        <Button {...button} {...words} onClick={open} />
      )}
      <Modal opened={isAsking} onClose={close} title={question}>
        <Text size="sm" component="div">
          {children}
        </Text>
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={close}>
            Dismiss
          </Button>
          <Button
            color="red.9"
            data-autofocus
            onClick={() => {
              close()
              onConfirm()
            }}
          >
            {label}
          </Button>
        </Group>
      </Modal>
    </>
  )
}
