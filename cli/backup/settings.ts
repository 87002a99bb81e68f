import { encryptionSettings, kafkaSettings, registrySettings, topicSettings } from "#runtime";

export const backupSettings = { kafka: kafkaSettings, registry: registrySettings, topics: topicSettings };

/** Settings of a restore, with the keys that the services of the deployment have. */
export const restoreSettings = { ...backupSettings, encryption: encryptionSettings };
