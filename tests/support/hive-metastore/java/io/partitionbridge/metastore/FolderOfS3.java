package io.partitionbridge.metastore;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/**
 * What a Hive Metastore makes of s3:// locations, without S3: it makes the folder of a table or a
 * partition that isn't there, which here is one on disk.
 */
public class FolderOfS3 extends RawLocalFileSystem {

    private URI uri;
    private File folder;

    @Override
    public void initialize(URI name, Configuration configuration) throws IOException {
        uri = URI.create(name.getScheme() + "://" + name.getAuthority());
        folder = new File(configuration.get("test.s3.folder"), name.getAuthority());
        folder.mkdirs();
        super.initialize(name, configuration);
    }

    @Override
    public URI getUri() {
        // The constructor of the class above asks for it before anything is known.
        return uri == null ? URI.create("s3:///") : uri;
    }

    @Override
    public String getScheme() {
        return getUri().getScheme();
    }

    @Override
    public File pathToFile(Path path) {
        checkPath(path);
        return new File(folder, path.toUri().getPath());
    }
}
