import { createSampleHost, SAMPLE_CALLER } from './sample-host.fixture.ts'
import { serveMcpOverStdio } from './stdio.ts'

/** The sample host as a program, for the official clients to start. */
await serveMcpOverStdio(createSampleHost(), SAMPLE_CALLER)
