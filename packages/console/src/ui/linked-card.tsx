import { Card } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './linked-card.module.css'

/** Card that acts as one link, marked with `data-card` for arrow key navigation. */
export const LinkedCard = ({ children }: { children: ReactNode }) => (
  <Card withBorder padding="md" className={classes.card}>
    {children}
  </Card>
)
