import { Button, type ButtonProps, Tooltip } from '@mantine/core'
import type { Permission } from '@sluice/contract'
import type { ComponentPropsWithoutRef } from 'react'
import { useMay } from '../api/use-may.ts'

type Props = ButtonProps & Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps> & { needs: Permission }

/** A button for those who may. Others see it too, with the reason why it does nothing for them. */
export const AllowedButton = ({ needs, onClick, ...button }: Props) => {
  const { isAllowed, reason } = useMay(needs)
  if (isAllowed) return <Button {...button} onClick={onClick} />
  return (
    <Tooltip label={reason} disabled={reason === ''}>
      <Button {...button} type="button" data-disabled aria-disabled aria-description={reason} />
    </Tooltip>
  )
}
